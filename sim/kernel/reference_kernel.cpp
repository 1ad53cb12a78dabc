// SPDX-License-Identifier: LGPL-2.1-or-later
// No queue, no heap, nothing kept from one instant to the next but what is left of each activity:
// lists are searched, and rates solved from nothing, by progressive filling (D. Bertsekas and
// R. Gallager, Data Networks, 1992, 6.5.2).
#include "sim/kernel/kernel.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace ringscope::sim {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class ReferenceKernel final : public Kernel {
 public:
  std::string_view name() const override { return "reference"; }
  int add_resource(const std::string&, double capacity) override {
    assert(capacity > 0);
    capacities_.push_back(capacity);
    used_.push_back(0);
    return static_cast<int>(capacities_.size()) - 1;
  }

  void set_capacity(int resource, double capacity) override {
    assert(capacity > 0);
    capacities_[resource] = capacity;
  }

  ActivityId start(double amount, std::span<const Use> uses, Callback done) override {
    assert(amount >= 0);
    int slot = 0;
    while (activities_.contains(slot)) ++slot;
    Activity& started = activities_[slot];
    started.amount = amount;
    started.left = amount;
    started.since = now_;
    started.uses.assign(uses.begin(), uses.end());
    started.done = done;
    started.order = set_++;
    if (amount == 0 || uses.empty()) {
      started.left = 0.0;
      started.ended = true;
      soon(slot);
    }
    return {slot};
  }

  double remaining(ActivityId id) const override { return rounded(left(activities_.at(id.slot))); }
  double used(int resource) const override {
    double sum = used_[resource];
    for (const auto& [slot, a] : activities_)
      for (const Use& use : a.uses)
        if (use.resource == resource) sum += use.weight * rounded(a.amount - left(a));
    return sum;
  }

  void suspend(ActivityId id) override {
    Activity& suspended = activities_.at(id.slot);
    assert(!suspended.suspended);
    if (!suspended.ended) {
      set_rate(suspended, 0);
      suspended.ended = suspended.called = suspended.left <= 0;
    }
    suspended.suspended = true;
  }

  void resume(ActivityId id) override {
    Activity& resumed = activities_.at(id.slot);
    assert(resumed.suspended);
    resumed.suspended = false;
    resumed.since = now_;
    if (std::exchange(resumed.called, false)) soon(id.slot);
  }

  void cancel(ActivityId id) override {
    Activity& cancelled = activities_.at(id.slot);
    if (cancelled.ended && !cancelled.called) {
      cancelled.done = {};
      cancelled.suspended = false;
    } else {
      leave(cancelled);
      activities_.erase(id.slot);
    }
  }

  void after(double delay, Callback callback) override {
    assert(delay >= 0);
    if (now_ + delay > end_)
      timers_.push_back({now_ + delay, set_++, callback});
    else
      soon_.push_back(callback);
  }

  void run() override {
    std::vector<Callback> timers;
    std::vector<int> done;
    for (;;) {
      fire(std::exchange(timers, {}));
      while (!done.empty()) {
        for (const int slot : std::exchange(done, {})) turn(static_cast<std::uint64_t>(slot));
        fire({});
      }
      for (const auto& [slot, rate] : fair_rates())
        if (Activity& a = activities_.at(slot); a.rate != rounded(rate)) set_rate(a, rounded(rate));
      const double next = next_date();
      if (next == never) return;
      now_ = std::max(now_, next);
      end_ = end_of_instant(now_);
      timers = take_timers();
      done = end_what_is_done();
    }
  }

  void rewind() override {
    now_ = end_ = 0;
    std::ranges::fill(used_, 0);
  }

 private:
  struct Activity {
    double amount = 0;
    Exact left = 0;  ///< at `since`, when its rate changed last
    double since = 0;
    double rate = 0;
    std::vector<Use> uses;
    Callback done;
    std::uint64_t order = 0;
    bool suspended = false;
    bool ended = false;   ///< its callback has yet to be called
    bool called = false;  ///< its turn came while it was suspended
  };
  struct Timer {
    double date = 0;
    std::uint64_t order = 0;
    Callback callback;
  };

  bool flows(const Activity& a) const { return !a.suspended && !a.ended; }
  Exact left(const Activity& a) const {
    return flows(a) ? std::max(Exact{0}, a.left - Exact(a.rate) * (Exact(now_) - a.since)) : a.left;
  }

  double end(const Activity& a) const { return date_of(a.since, a.left, a.rate); }
  /// Notes what an activity that goes has used.
  void leave(const Activity& a) {
    for (const Use& use : a.uses) used_[use.resource] += use.weight * rounded(a.amount - left(a));
  }

  void set_rate(Activity& a, double rate) {
    a.left = left(a);
    a.since = now_;
    a.rate = rate;
  }

  void soon(int slot) {
    soon_.push_back(Callback::to<&ReferenceKernel::turn>(this, static_cast<std::uint64_t>(slot)));
  }

  // The callback of what has ended, unless it is suspended or was cancelled.
  void turn(std::uint64_t value) {
    const int slot = static_cast<int>(value);
    Activity& ended = activities_.at(slot);
    if (ended.suspended) {
      ended.called = true;
      return;
    }
    const Callback done = ended.done;
    leave(ended);
    activities_.erase(slot);
    if (done.function != nullptr) done();
  }

  // The callbacks, and then what they set for this instant.
  void fire(std::vector<Callback> callbacks) {
    for (;;) {
      for (const Callback& callback : callbacks) callback();
      if (soon_.empty()) return;
      callbacks = std::exchange(soon_, {});
    }
  }

  double next_date() const {
    double next = never;
    for (const Timer& timer : timers_) next = std::min(next, timer.date);
    for (const auto& [slot, a] : activities_)
      if (flows(a)) next = std::min(next, end(a));
    return next;
  }

  // Due timers in the order in which they were set, which is that of the list.
  std::vector<Callback> take_timers() {
    std::vector<Callback> due;
    for (const Timer& timer : timers_)
      if (timer.date <= end_) due.push_back(timer.callback);
    std::erase_if(timers_, [this](const Timer& timer) { return timer.date <= end_; });
    return due;
  }

  std::vector<int> end_what_is_done() {
    std::vector<int> done;
    for (auto& [slot, a] : activities_) {
      if (!flows(a) || end(a) > end_) continue;
      a.left = 0.0;
      a.ended = true;
      done.push_back(slot);
    }
    std::ranges::sort(
        done, [this](int a, int b) { return activities_.at(a).order < activities_.at(b).order; });
    return done;
  }

  std::map<int, Exact> fair_rates() const {
    std::map<int, Exact> rates;
    Table<Exact> free(capacities_.begin(), capacities_.end());
    for (;;) {
      Table<std::int64_t> weights(free.size(), 0);
      for (const auto& [slot, a] : activities_)
        if (flows(a) && !rates.contains(slot))
          for (const Use& use : a.uses) weights[use.resource] += use.weight;
      int narrowest = -1;
      Exact level = 0;
      for (std::size_t r = 0; r < free.size(); ++r) {
        if (weights[r] == 0) continue;
        const Exact here = free[r] / static_cast<double>(weights[r]);
        if (narrowest >= 0 && here >= level) continue;
        narrowest = static_cast<int>(r);
        level = here;
      }
      if (narrowest < 0) return rates;
      for (const auto& [slot, a] : activities_) {
        if (!flows(a) || rates.contains(slot)) continue;
        const auto uses_it = [narrowest](const Use& use) { return use.resource == narrowest; };
        if (std::ranges::none_of(a.uses, uses_it)) continue;
        rates[slot] = level;
        for (const Use& use : a.uses) free[use.resource] -= level * use.weight;
      }
    }
  }

  Table<double> capacities_, used_;     ///< used by activities that are no more
  std::map<int, Activity> activities_;  ///< by slot
  std::vector<Timer> timers_;
  std::vector<Callback> soon_;
  std::uint64_t set_ = 0;
  double end_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_reference_kernel() { return std::make_unique<ReferenceKernel>(); }

}  // namespace ringscope::sim
