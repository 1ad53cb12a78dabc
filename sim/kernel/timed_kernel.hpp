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

#include "sim/kernel/date_queue.hpp"
#include "sim/kernel/instant.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// Rates: add_resource, set_capacity, set_uses, join, leave, rate and solve as max_min.hpp has
/// them.
template <class Rates>
class TimedKernel : public Kernel {
 public:
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
  void rewind() override;
  bool can_skip() const override { return true; }
  std::vector<Alarm> timers() const override;
  void at_end_of_instant(Callback callback) override { at_end_ = callback; }
  void skip(double seconds) override;

 protected:
  Rates& rates() { return rates_; }
  /// All of this instant; when the next one begins, infinity for never.
  double happen();
  void begin(double date);

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
    int finish = -1;          ///< index in finishes_; -1: it has no date yet
    std::uint64_t dated = 0;  ///< when it got that: others in its name are forgotten
  };
  struct Finish {
    int slot = 0;
    std::uint64_t dated = 0;
  };
  struct Timer {
    Callback callback;
    std::uint64_t order = 0;
  };
  template <class Item>
  static void sort(std::vector<Item>& items) {
    const auto earlier = [](const Item& a, const Item& b) { return a.order < b.order; };
    if (!std::is_sorted(items.begin(), items.end(), earlier))
      std::sort(items.begin(), items.end(), earlier);
  }
  struct Completion {
    int slot = 0;
    std::uint64_t order = 0;
  };

  static std::size_t index(ActivityId id) { return static_cast<std::size_t>(id.slot); }
  Activity& activity(int slot) { return activities_[static_cast<std::size_t>(slot)]; }
  int take_slot();
  void stop_now(int slot, double left);
  void release(int slot) {
    activity(slot).state = State::free;
    free_.push_back(slot);
  }
  void finish_soon(int slot);
  void finish(std::uint64_t slot);
  void fire();
  bool complete();
  void solve();

  Rates rates_;
  std::uint64_t set_ = 0;  ///< activities and timers so far
  double end_ = 0;         ///< of this instant
  std::vector<Activity> activities_;
  std::vector<int> free_;
  DateQueue<Finish> finishes_;
  std::uint64_t dates_ = 0;
  DateQueue<Timer> timers_;
  std::vector<Timer> due_timers_;
  std::vector<Callback> soon_, firing_;  ///< of this very instant
  std::vector<Finish> due_;
  std::vector<Completion> completed_, delivered_;
  Callback at_end_;
};

template <class Rates>
int TimedKernel<Rates>::take_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(activities_.size()));
    activities_.emplace_back();
  }
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

template <class Rates>
ActivityId TimedKernel<Rates>::start(double amount, std::span<const Use> uses, Callback done) {
  assert(amount >= 0 && amount < std::numeric_limits<double>::infinity());
  const int slot = take_slot();
  Activity& started = activity(slot);
  started.state = State::runs;
  started.order = set_++;
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

// The remainder is reckoned from when the rate changed last: asking does not change it.
template <class Rates>
double TimedKernel<Rates>::remaining(ActivityId id) const {
  const Activity& asked = activities_[index(id)];
  if (asked.state != State::runs) return asked.left;
  return std::max(0.0, asked.left - asked.rate * (now_ - asked.since));
}

// Takes the activity's flow away.
template <class Rates>
void TimedKernel<Rates>::stop_now(int slot, double left) {
  Activity& stopped = activity(slot);
  stopped.left = left;
  stopped.rate = 0;
  stopped.dated = 0;
  rates_.leave(slot);
  if (stopped.finish >= 0) finishes_.forget(std::exchange(stopped.finish, -1));
}

template <class Rates>
void TimedKernel<Rates>::suspend(ActivityId id) {
  Activity& suspended = activity(id.slot);
  assert(suspended.state == State::runs || suspended.state == State::done);
  // An activity that was done already is found suspended by whoever is about to call its callback.
  const bool ran = suspended.state == State::runs;
  if (ran) stop_now(id.slot, remaining(id));
  suspended.state = ran && suspended.left <= 0 ? State::held : State::suspended;
}

template <class Rates>
void TimedKernel<Rates>::resume(ActivityId id) {
  Activity& resumed = activity(id.slot);
  assert(resumed.state == State::suspended || resumed.state == State::held);
  if (resumed.state == State::held) return finish_soon(id.slot);
  resumed.since = now_;
  resumed.state = resumed.left > 0 ? State::runs : State::done;
  if (resumed.left > 0) rates_.join(id.slot);
}

template <class Rates>
void TimedKernel<Rates>::cancel(ActivityId id) {
  Activity& cancelled = activity(id.slot);
  const bool ran = cancelled.state == State::runs;
  if (ran) stop_now(id.slot, remaining(id));
  if (ran || cancelled.left > 0 || cancelled.state == State::held) return release(id.slot);
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
void TimedKernel<Rates>::solve() {
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

template <class Rates>
double TimedKernel<Rates>::happen() {
  do fire();
  while (complete());
  if (at_end_.function != nullptr) std::exchange(at_end_, {})();
  solve();
  return std::min(timers_.next_date(), finishes_.next_date());
}

// Everything due is due from here on, whatever is paused or stopped before its turn comes.
template <class Rates>
void TimedKernel<Rates>::begin(double date) {
  now_ = std::max(now_, date);
  end_ = end_of_instant(now_);
  while (timers_.next_date() <= end_) timers_.take(due_timers_);
  sort(due_timers_);
  while (finishes_.next_date() <= end_) finishes_.take(due_);
  for (const Finish& due : due_) {
    Activity& done = activity(due.slot);
    if (done.dated != due.dated) continue;
    completed_.push_back({due.slot, done.order});
    done.finish = -1;
    stop_now(due.slot, 0);
    done.state = State::done;
  }
  due_.clear();
  sort(completed_);
}

template <class Rates>
void TimedKernel<Rates>::run() {
  for (;;) {
    const double next = happen();
    if (next == std::numeric_limits<double>::infinity()) return;
    begin(next);
  }
}

template <class Rates>
void TimedKernel<Rates>::rewind() {
  assert(soon_.empty() && completed_.empty());
  assert(std::min(timers_.next_date(), finishes_.next_date()) ==
         std::numeric_limits<double>::infinity());
  now_ = end_ = 0;
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
  finishes_.shift(seconds);
  for (Activity& moved : activities_) moved.since += seconds;
}

}  // namespace ringscope::sim
