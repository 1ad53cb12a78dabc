// SPDX-License-Identifier: LGPL-2.1-or-later
// Time, and the order of what happens at one instant, over rates that somebody else solves.
//
// Each kernel is this with a solver of its own, so that what kernel.hpp promises is written once.
// An instant begins with the first thing that is due. What is due in it is found once, then
// happens, with all that it sets for the same instant; then the rates are solved, and time passes.
#pragma once

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/pool.hpp"
#include "sim/kernel/date_queue.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/kernel/shared_work.hpp"

namespace ringscope::sim {

/// Rates as in shared_work.hpp.
template <class Rates>
class TimedKernel : public Kernel {
 public:
  int add_resource(const std::string&, double capacity) override {
    return work_.add_resource(capacity);
  }
  void set_capacity(int resource, double capacity) override {
    work_.set_capacity(resource, capacity);
  }
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId) const override;
  double used(int resource) const override { return work_.used(resource); }
  void suspend(ActivityId) override;
  void resume(ActivityId) override;
  void cancel(ActivityId) override;
  void after(double delay, Callback callback) override;
  void run() override;
  void every_so_often(Callback callback) override { so_often_ = callback; }
  void rewind() override;
  std::vector<Alarm> timers() const override;
  void at_end_of_instant(Callback callback) override { at_end_ = callback; }
  void skip(double seconds) override;

 protected:
  Rates& rates() { return work_.rates(); }
  void set_tolerance(double share) { work_.set_tolerance(share); }
  /// All of this instant; when the next one begins, infinity for never.
  double happen();
  void begin(double date);

 private:
  enum class State {
    free,
    runs,  ///< in a group, or about to be
    suspended,
    done,  ///< its callback is about to be called
    held   ///< done while it was suspended
  };
  struct Activity {
    State state = State::free;
    bool works = false;       ///< it has something to do, and uses something
    std::uint64_t order = 0;  ///< of its start
    Callback done;
  };
  struct Timer {
    Callback callback;
    std::uint64_t order = 0;
  };
  template <class Item>
  static void sort(std::vector<Item>& items) {
    const auto earlier = [](const Item& a, const Item& b) { return a.order < b.order; };
    if (!std::ranges::is_sorted(items, earlier)) std::ranges::sort(items, earlier);
  }
  struct Completion {
    int slot = 0;
    std::uint64_t order = 0;
  };

  Activity& activity(int slot) { return activities_[slot]; }
  bool has_work(int slot) const { return activities_[slot].works && !work_.is_done(slot); }
  void release(int slot) {
    activity(slot).state = State::free;
    activities_.release(slot);
  }
  void finish_soon(int slot);
  void finish(std::uint64_t slot);
  void fire();
  bool complete();

  SharedWork<Rates> work_{&now_};
  std::uint64_t set_ = 0;  ///< activities and timers so far
  double end_ = 0;         ///< of this instant
  Pool<Activity> activities_;
  DateQueue<Timer> timers_;
  std::vector<Timer> due_timers_;
  std::vector<Callback> soon_, firing_;  ///< of this very instant
  std::vector<Completion> completed_, delivered_;
  Callback at_end_, so_often_;
  unsigned instants_ = 0;  ///< of all runs: each may be short
};

template <class Rates>
ActivityId TimedKernel<Rates>::start(double amount, std::span<const Use> uses, Callback done) {
  assert(amount >= 0 && amount < std::numeric_limits<double>::infinity());
  const int slot = activities_.take();
  Activity& started = activity(slot);
  started.state = State::runs;
  started.order = set_++;
  started.done = done;
  started.works = amount > 0 && !uses.empty();
  if (started.works) {
    work_.set(slot, amount, uses);
    work_.join(slot);
  } else {
    finish_soon(slot);
  }
  return {slot};
}

// An activity without work has no flow, and ends as a timer would.
template <class Rates>
void TimedKernel<Rates>::finish_soon(int slot) {
  activity(slot).state = State::done;
  soon_.push_back(Callback::to<&TimedKernel::finish>(this, static_cast<std::uint64_t>(slot)));
}

template <class Rates>
void TimedKernel<Rates>::finish(std::uint64_t value) {
  const int slot = static_cast<int>(value);
  Activity& ended = activity(slot);
  if (ended.state == State::suspended) {
    ended.state = State::held;
    return;
  }
  const Callback done = ended.done;
  release(slot);
  if (done.function != nullptr) done();
}

template <class Rates>
double TimedKernel<Rates>::remaining(ActivityId id) const {
  return activities_[id.slot].works ? work_.left(id.slot) : 0;
}

template <class Rates>
void TimedKernel<Rates>::suspend(ActivityId id) {
  Activity& suspended = activity(id.slot);
  assert(suspended.state == State::runs || suspended.state == State::done);
  // An activity that was done already is found suspended by whoever is about to call its callback.
  const bool ran = suspended.state == State::runs;
  if (ran) work_.stop(id.slot);
  suspended.state = ran && !has_work(id.slot) ? State::held : State::suspended;
}

template <class Rates>
void TimedKernel<Rates>::resume(ActivityId id) {
  Activity& resumed = activity(id.slot);
  assert(resumed.state == State::suspended || resumed.state == State::held);
  if (resumed.state == State::held) return finish_soon(id.slot);
  resumed.state = has_work(id.slot) ? State::runs : State::done;
  if (resumed.state == State::runs) work_.join(id.slot);
}

template <class Rates>
void TimedKernel<Rates>::cancel(ActivityId id) {
  Activity& cancelled = activity(id.slot);
  const bool ran = cancelled.state == State::runs;
  if (ran) work_.stop(id.slot);
  if (ran || has_work(id.slot) || cancelled.state == State::held) return release(id.slot);
  // Somebody is about to call it.
  cancelled.done = {};
  cancelled.state = State::done;
}

template <class Rates>
void TimedKernel<Rates>::after(double delay, Callback callback) {
  assert(delay >= 0);
  const double date = now_ + delay;
  if (date > end_)
    timers_.add(date, {callback, set_++});
  else
    soon_.push_back(callback);
}

// The timers of this instant, with those that they set for it.
template <class Rates>
void TimedKernel<Rates>::fire() {
  for (const Timer& timer : due_timers_) timer.callback();
  due_timers_.clear();
  while (!soon_.empty()) {
    firing_.swap(soon_);
    for (const Callback& callback : firing_) callback();
    firing_.clear();
  }
}

// False: there are none.
template <class Rates>
bool TimedKernel<Rates>::complete() {
  if (completed_.empty()) return false;
  delivered_.swap(completed_);
  for (const Completion& completion : delivered_)
    finish(static_cast<std::uint64_t>(completion.slot));
  delivered_.clear();
  return true;
}

template <class Rates>
double TimedKernel<Rates>::happen() {
  do fire();
  while (complete());
  if (at_end_.function != nullptr) std::exchange(at_end_, {})();
  work_.solve();
  return std::min(timers_.next_date(), work_.next_date());
}

// Everything due is due from here on, whatever is paused or stopped before its turn comes.
template <class Rates>
void TimedKernel<Rates>::begin(double date) {
  now_ = std::max(now_, date);
  end_ = end_of_instant(now_);
  while (timers_.next_date() <= end_) timers_.take(due_timers_);
  sort(due_timers_);
  work_.take_done(end_, [this](int slot) {
    completed_.push_back({slot, activity(slot).order});
    activity(slot).state = State::done;
  });
  sort(completed_);
}

template <class Rates>
void TimedKernel<Rates>::run() {
  constexpr unsigned so_often = 64;
  for (;;) {
    if (++instants_ % so_often == 0 && so_often_.function != nullptr) so_often_();
    const double next = happen();
    if (next == std::numeric_limits<double>::infinity()) return;
    begin(next);
  }
}

template <class Rates>
void TimedKernel<Rates>::rewind() {
  assert(soon_.empty() && completed_.empty());
  assert(std::min(timers_.next_date(), work_.next_date()) ==
         std::numeric_limits<double>::infinity());
  now_ = end_ = 0;
  work_.rewind();
}

template <class Rates>
std::vector<Kernel::Alarm> TimedKernel<Rates>::timers() const {
  std::vector<Alarm> all;
  timers_.visit([&](double date, const Timer& timer) {
    all.push_back({date - now_, timer.callback});
  });
  return all;
}

template <class Rates>
void TimedKernel<Rates>::skip(double seconds) {
  now_ += seconds;
  end_ = end_of_instant(now_);
  timers_.shift(seconds);
  work_.skip(seconds);
}

}  // namespace ringscope::sim
