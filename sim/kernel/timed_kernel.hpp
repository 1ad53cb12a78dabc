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
#include "sim/kernel/group_time.hpp"
#include "sim/kernel/instant.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// Rates: add_resource, set_capacity, set_uses, join, leave, group, rate, solve, uses and
/// visit_groups as max_min.hpp has them.
template <class Rates>
class TimedKernel : public Kernel {
 public:
  int add_resource(const std::string&, double capacity) override {
    used_.push_back(0);
    return rates_.add_resource(capacity);
  }
  void set_capacity(int resource, double capacity) override {
    rates_.set_capacity(resource, capacity);
  }
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId) const override;
  double used(int resource) const override;
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
    runs,  ///< in a group, or about to be
    suspended,
    done,  ///< its callback is about to be called
    held   ///< done while it was suspended
  };
  struct Activity {
    State state = State::free;
    bool joins = false;       ///< in the list of those that the solver has yet to be told of
    int group = -1;           ///< -1: of none
    std::uint64_t stamp = 0;  ///< of its entry in that group
    std::uint64_t order = 0;  ///< of its start
    Exact left = 0;           ///< units; in a group: the end in its virtual time
    Callback done;
  };
  struct Group {
    GroupTime time;
    int date = -1;            ///< index in dates_; -1: it has none
    std::uint64_t dated = 0;  ///< when it got that: others in its name are forgotten
    bool touched = false;     ///< its first end or its rate may have changed
  };
  struct Dated {
    int group = 0;
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
  Group& group(int id) { return groups_[static_cast<std::size_t>(id)]; }
  auto is_live() const {
    return [this](const GroupTime::End& entry) {
      const Activity& member = activities_[static_cast<std::size_t>(entry.slot)];
      return member.group >= 0 && member.stamp == entry.stamp;
    };
  }
  int take_slot();
  void join(int slot);
  void enter(int slot);
  void leave(int slot, Exact at);
  void touch(int group);
  void set_date(int group);
  void stop_now(int slot);
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
  std::vector<int> joining_;  ///< slots
  std::vector<Group> groups_;
  std::vector<int> touched_;  ///< groups
  /// Units of each resource, less what its users would have moved since their group began.
  std::vector<double> used_;
  DateQueue<Dated> dates_;
  std::uint64_t stamps_ = 0;
  DateQueue<Timer> timers_;
  std::vector<Timer> due_timers_;
  std::vector<Callback> soon_, firing_;  ///< of this very instant
  std::vector<Dated> due_;
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
  started.done = done;
  if (amount == 0 || uses.empty()) {
    started.left = 0.0;
    finish_soon(slot);
  } else {
    rates_.set_uses(slot, uses);
    join(slot);
  }
  return {slot};
}

// The solver is told at the end of the instant: many begin and end within one.
template <class Rates>
void TimedKernel<Rates>::join(int slot) {
  activity(slot).group = -1;
  if (!std::exchange(activity(slot).joins, true)) joining_.push_back(slot);
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
  const Activity& asked = activities_[index(id)];
  if (asked.group < 0) return rounded(asked.left);
  const GroupTime& time = groups_[static_cast<std::size_t>(asked.group)].time;
  return std::max(0.0, rounded(asked.left - time.at(now_)));
}

template <class Rates>
double TimedKernel<Rates>::used(int resource) const {
  double sum = used_[static_cast<std::size_t>(resource)];
  rates_.visit_groups(resource, [&](int id, std::int64_t weight) {
    sum +=
        static_cast<double>(weight) * rounded(groups_[static_cast<std::size_t>(id)].time.at(now_));
  });
  return sum;
}

template <class Rates>
void TimedKernel<Rates>::touch(int id) {
  if (!std::exchange(group(id).touched, true)) touched_.push_back(id);
}

// Puts the activity into the group that the solver has found for it.
template <class Rates>
void TimedKernel<Rates>::enter(int slot) {
  Activity& entering = activity(slot);
  const int to = rates_.group(slot);
  if (entering.group == to) return;
  if (entering.group >= 0) {
    const Exact at = group(entering.group).time.at(now_);
    leave(slot, at);
    entering.left = std::max(Exact{0}, entering.left - at);
  }
  if (static_cast<std::size_t>(to) >= groups_.size())
    groups_.resize(static_cast<std::size_t>(to) + 1);
  GroupTime& time = group(to).time;
  entering.group = to;
  entering.stamp = ++stamps_;
  const Exact left = entering.left;
  entering.left = time.enter(left, slot, entering.stamp, now_);
  const double at = rounded(entering.left - left);
  for (const auto& use : rates_.uses(slot))
    used_[static_cast<std::size_t>(use.resource)] -= use.weight * at;
  touch(to);
}

// Takes the activity out of its group, at this virtual time of that.
template <class Rates>
void TimedKernel<Rates>::leave(int slot, Exact at) {
  Activity& leaving = activity(slot);
  group(leaving.group).time.leave();
  touch(leaving.group);
  leaving.group = -1;
  for (const auto& use : rates_.uses(slot))
    used_[static_cast<std::size_t>(use.resource)] += use.weight * rounded(at);
}

// Takes the activity's flow away, with what is left of it.
template <class Rates>
void TimedKernel<Rates>::stop_now(int slot) {
  Activity& stopped = activity(slot);
  if (stopped.group < 0) return;
  const Exact at = group(stopped.group).time.at(now_);
  leave(slot, at);
  stopped.left = std::max(Exact{0}, stopped.left - at);
  rates_.leave(slot);
}

template <class Rates>
void TimedKernel<Rates>::suspend(ActivityId id) {
  Activity& suspended = activity(id.slot);
  assert(suspended.state == State::runs || suspended.state == State::done);
  // An activity that was done already is found suspended by whoever is about to call its callback.
  const bool ran = suspended.state == State::runs;
  if (ran) stop_now(id.slot);
  suspended.state = ran && suspended.left <= 0 ? State::held : State::suspended;
}

template <class Rates>
void TimedKernel<Rates>::resume(ActivityId id) {
  Activity& resumed = activity(id.slot);
  assert(resumed.state == State::suspended || resumed.state == State::held);
  if (resumed.state == State::held) return finish_soon(id.slot);
  resumed.state = resumed.left > 0 ? State::runs : State::done;
  if (resumed.left > 0) join(id.slot);
}

template <class Rates>
void TimedKernel<Rates>::cancel(ActivityId id) {
  Activity& cancelled = activity(id.slot);
  const bool ran = cancelled.state == State::runs;
  if (ran) stop_now(id.slot);
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
  for (const int slot : joining_) {
    Activity& joining = activity(slot);
    joining.joins = false;
    if (joining.state == State::runs && joining.group < 0) rates_.join(slot);
  }
  joining_.clear();
  const auto changes = rates_.solve();
  for (const int slot : changes.moved) enter(slot);
  for (const int id : changes.groups) touch(id);
  for (const int id : touched_) set_date(id);
  touched_.clear();
}

template <class Rates>
void TimedKernel<Rates>::set_date(int id) {
  Group& changed = group(id);
  changed.touched = false;
  changed.dated = 0;
  if (changed.date >= 0) dates_.forget(std::exchange(changed.date, -1));
  if (changed.time.is_empty()) return;
  changed.time.set_rate(rates_.rate(id), now_);
  changed.dated = ++stamps_;
  changed.date = dates_.add(changed.time.first_end(is_live()), {id, changed.dated});
}

template <class Rates>
double TimedKernel<Rates>::happen() {
  do fire();
  while (complete());
  if (at_end_.function != nullptr) std::exchange(at_end_, {})();
  solve();
  return std::min(timers_.next_date(), dates_.next_date());
}

// Everything due is due from here on, whatever is paused or stopped before its turn comes.
template <class Rates>
void TimedKernel<Rates>::begin(double date) {
  now_ = std::max(now_, date);
  end_ = end_of_instant(now_);
  while (timers_.next_date() <= end_) timers_.take(due_timers_);
  sort(due_timers_);
  while (dates_.next_date() <= end_) dates_.take(due_);
  for (const Dated& due : due_) {
    Group& ending = group(due.group);
    if (ending.dated != due.dated) continue;
    ending.date = -1;
    touch(due.group);
    ending.time.take_ended(end_, is_live(), [this](const GroupTime::End& entry) {
      Activity& done = activity(entry.slot);
      completed_.push_back({entry.slot, done.order});
      leave(entry.slot, entry.at);
      rates_.leave(entry.slot);
      done.left = 0.0;
      done.state = State::done;
    });
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
  assert(std::min(timers_.next_date(), dates_.next_date()) ==
         std::numeric_limits<double>::infinity());
  now_ = end_ = 0;
  std::fill(used_.begin(), used_.end(), 0);
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
  dates_.shift(seconds);
  for (Group& moved : groups_) moved.time.shift(seconds);
}

}  // namespace ringscope::sim
