// Time as a heap of dates over max_min.hpp's rates. All that happens at one instant happens first,
// then the rates are solved once, and then time passes.
#include "sim/kernel/fluid_kernel.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "sim/kernel/date_queue.hpp"
#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {
namespace {

/// Completions that lie closer together happen at one instant: rounding alone parts them. SimGrid
/// is set to the same.
constexpr double precision = 1e-12;

class FluidKernel final : public Kernel {
 public:
  std::string_view name() const override { return "fluid"; }
  int add_resource(const std::string&, double capacity) override {
    return rates_.add_resource(capacity);
  }
  void set_capacity(int resource, double capacity) override {
    rates_.set_capacity(resource, capacity);
  }
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId) const override;
  void suspend(ActivityId) override;
  void resume(ActivityId) override;
  void cancel(ActivityId) override;
  void after(double delay, Callback callback) override;
  void run() override;
  bool can_skip() const override { return true; }
  std::vector<Alarm> timers() const override;
  void at_end_of_instant(Callback callback) override { at_end_ = callback; }
  void skip(double seconds) override;

 private:
  enum class State {
    free,
    runs,  ///< its rate, if it has one yet, is that of its flow
    suspended,
    done,  ///< its callback is about to be called
    held   ///< done while it was suspended
  };
  struct Activity {
    State state = State::free;
    std::uint64_t order = 0;  ///< of its start
    double left = 0;          ///< units, at `since`
    double since = 0;
    double rate = 0;
    Callback done;
    int finish = -1;          ///< where it stands in finishes_; -1: it has no date yet
    std::uint64_t dated = 0;  ///< when it got that: others in its name are forgotten
  };
  struct Finish {
    int slot = 0;
    std::uint64_t dated = 0;
  };
  struct Completion {
    std::uint64_t order = 0;
    int slot = 0;
    bool operator<(const Completion& other) const { return order < other.order; }
  };

  static std::size_t index(ActivityId id) { return static_cast<std::size_t>(id.slot); }
  Activity& activity(int slot) { return activities_[static_cast<std::size_t>(slot)]; }
  int take_slot();
  void stop_now(int slot, double left);
  void release(int slot);
  void finish_soon(int slot);
  void finish(std::uint64_t slot);
  void deliver(int slot);
  void fire();
  bool complete();
  void solve();

  std::uint64_t started_ = 0;
  MaxMin rates_;
  std::vector<Activity> activities_;
  std::vector<int> free_;
  DateQueue<Finish> finishes_;
  std::uint64_t dates_ = 0;
  DateQueue<Callback> timers_;
  std::vector<Callback> soon_, firing_;  ///< of this very instant
  Callback at_end_;
  std::vector<Finish> due_;
  std::vector<Completion> completed_;
};

int FluidKernel::take_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(activities_.size()));
    activities_.emplace_back();
  }
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

ActivityId FluidKernel::start(double amount, std::span<const Use> uses, Callback done) {
  assert(amount >= 0);
  const int slot = take_slot();
  Activity& started = activity(slot);
  started.state = State::runs;
  started.order = started_++;
  started.left = amount;
  started.since = now_;
  started.rate = 0;
  started.done = done;
  if (amount == 0 || uses.empty()) {
    started.left = 0;
    finish_soon(slot);
  } else {
    rates_.set_uses(slot, uses);
    rates_.join(slot);
  }
  return {slot};
}

// What has nothing to do has no flow, and ends as a timer would.
void FluidKernel::finish_soon(int slot) {
  activity(slot).state = State::done;
  soon_.push_back(Callback::to<&FluidKernel::finish>(this, static_cast<std::uint64_t>(slot)));
}

void FluidKernel::finish(std::uint64_t value) {
  const int slot = static_cast<int>(value);
  Activity& ended = activity(slot);
  if (ended.state == State::suspended) {
    ended.state = State::held;
    return;
  }
  deliver(slot);
}

void FluidKernel::deliver(int slot) {
  const Callback done = activity(slot).done;
  release(slot);
  if (done.function != nullptr) done();
}

double FluidKernel::remaining(ActivityId id) const {
  const Activity& asked = activities_[index(id)];
  if (asked.state != State::runs) return asked.left;
  return std::max(0.0, asked.left - asked.rate * (now_ - asked.since));
}

// Takes the activity's flow away.
void FluidKernel::stop_now(int slot, double left) {
  Activity& stopped = activity(slot);
  stopped.left = left;
  stopped.rate = 0;
  stopped.dated = 0;
  rates_.leave(slot);
  if (stopped.finish >= 0) finishes_.forget(std::exchange(stopped.finish, -1));
}

void FluidKernel::release(int slot) {
  activity(slot).state = State::free;
  free_.push_back(slot);
}

void FluidKernel::suspend(ActivityId id) {
  Activity& suspended = activity(id.slot);
  assert(suspended.state == State::runs || suspended.state == State::done);
  // Where it was done already, whoever is about to call its callback finds it suspended.
  const bool ran = suspended.state == State::runs;
  if (ran) stop_now(id.slot, remaining(id));
  suspended.state = ran && suspended.left <= 0 ? State::held : State::suspended;
}

void FluidKernel::resume(ActivityId id) {
  Activity& resumed = activity(id.slot);
  assert(resumed.state == State::suspended || resumed.state == State::held);
  if (resumed.state == State::held) return finish_soon(id.slot);
  resumed.since = now_;
  resumed.state = resumed.left > 0 ? State::runs : State::done;
  if (resumed.left > 0) rates_.join(id.slot);
}

void FluidKernel::cancel(ActivityId id) {
  Activity& cancelled = activity(id.slot);
  const bool ran = cancelled.state == State::runs;
  if (ran) stop_now(id.slot, remaining(id));
  if (ran || cancelled.left > 0 || cancelled.state == State::held) return release(id.slot);
  // Somebody is about to call it.
  cancelled.done = {};
  cancelled.state = State::done;
}

void FluidKernel::after(double delay, Callback callback) {
  assert(delay >= 0);
  const double date = now_ + delay;
  if (date > now_)
    timers_.add(date, callback);
  else
    soon_.push_back(callback);
}

// The timers of this instant, with those that they set for it.
void FluidKernel::fire() {
  while (timers_.next_date() <= now_) timers_.take(firing_);
  for (const Callback& callback : firing_) callback();
  firing_.clear();
  while (!soon_.empty()) {
    firing_.swap(soon_);
    for (const Callback& callback : firing_) callback();
    firing_.clear();
  }
}

// The activities that are done at this instant. False: there are none.
bool FluidKernel::complete() {
  while (finishes_.next_date() <= now_ + precision) finishes_.take(due_);
  for (const Finish& due : due_) {
    Activity& done = activity(due.slot);
    if (done.dated != due.dated) continue;
    completed_.push_back({done.order, due.slot});
    done.finish = -1;
    stop_now(due.slot, 0);
    done.state = State::done;
  }
  due_.clear();
  if (completed_.empty()) return false;
  if (!std::is_sorted(completed_.begin(), completed_.end()))
    std::sort(completed_.begin(), completed_.end());
  for (const Completion& completion : completed_)
    finish(static_cast<std::uint64_t>(completion.slot));
  completed_.clear();
  return true;
}

void FluidKernel::solve() {
  for (const int slot : rates_.solve()) {
    Activity& changed = activity(slot);
    changed.left = remaining({slot});
    changed.since = now_;
    changed.rate = rates_.rate(slot);
    if (changed.finish >= 0) finishes_.forget(changed.finish);
    changed.dated = ++dates_;
    changed.finish = finishes_.add(now_ + changed.left / changed.rate, {slot, changed.dated});
  }
}

void FluidKernel::run() {
  for (;;) {
    fire();
    if (complete()) continue;
    if (at_end_.function != nullptr) std::exchange(at_end_, {})();
    solve();
    const double next = std::min(timers_.next_date(), finishes_.next_date());
    if (next == std::numeric_limits<double>::infinity()) return;
    now_ = std::max(now_, next);
  }
}

std::vector<Kernel::Alarm> FluidKernel::timers() const {
  std::vector<Alarm> all;
  timers_.visit([&](double date, const Callback& callback) {
    all.push_back({date - now_, callback});
  });
  return all;
}

void FluidKernel::skip(double seconds) {
  now_ += seconds;
  timers_.shift(seconds);
  finishes_.shift(seconds);
  for (Activity& moved : activities_) moved.since += seconds;
}

}  // namespace

std::unique_ptr<Kernel> make_fluid_kernel() { return std::make_unique<FluidKernel>(); }

}  // namespace ringscope::sim
