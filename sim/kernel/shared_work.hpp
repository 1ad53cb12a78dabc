// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that shares resources: how much of each is left, and when the next is done.
//
// The solver sorts what flows into groups of one rate; each group has its virtual time, and one
// date, that of its first end. A work that has all that it uses to itself needs neither group nor
// solver: lone_work.hpp.
//
// Tolerance: an activity ends with others that end now where that is early by at most that share of
// its age. Joins and leaves may be applied late, by at most tolerance times duration; what it moves
// is counted from its true start. So many rates change together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/small_table.hpp"
#include "base/table.hpp"
#include "sim/kernel/date_queue.hpp"
#include "sim/kernel/group_time.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {

/// Works have numbers of the caller's. Rates: add_resource, set_capacity, set_uses, join, leave,
/// group, rate, solve, uses and visit_groups as max_min.hpp has them; where they can wait (see
/// below), a work that is alone is not shown to them.
template <class Rates>
class SharedWork {
 public:
  /// Goes by the caller's clock.
  explicit SharedWork(const double* now) : now_(now) {}
  Rates& rates() { return rates_; }
  /// Share of a work's time by which dates may be wrong; 0, the default: none. The rates need
  /// is_uncontended, likely_rate, tell, leave_for_later and follow_leaves then.
  void set_tolerance(double share) { delays_.set_tolerance(share); }
  int add_resource(double capacity) {
    Carried& added = carried_.emplace_back();
    added.capacity = added.most = capacity;
    added.shares = whole_share / capacity;
    return rates_.add_resource(capacity);
  }
  void set_capacity(int resource, double capacity);

  /// Makes a work of this amount, above 0, which does not flow yet.
  void set(int id, double amount, std::span<const Use> uses);
  /// Lets it flow; the solver is told at the end of the instant, since many begin and end in one.
  void join(int id);
  /// Waypoints it, whether or not it flows; what is left stays known.
  void stop(int id);
  /// Units left at this instant.
  double left(int id) const;
  bool is_done(int id) const { return works_[id].left <= 0; }
  /// Units of a resource used up to now.
  double used(int resource) const;

  /// Solves the rates from now on.
  void solve();
  /// Infinity when nothing flows.
  double next_date() { return std::min(dates_.next_date(), delays_.next_date()); }
  /// Waypoints all works that are done by then, and calls visit(id) for each.
  template <class Visit>
  void take_done(double until, Visit visit);
  /// Moves all that is to come; requires that now() has moved as far.
  void skip(double seconds) {
    dates_.shift(seconds);
    delays_.shift(seconds);
    for (Work& moved : works_) moved.begun += seconds;
    for (Group& moved : groups_) moved.time.shift(seconds);
    for (Carried& carried : carried_) {
      carried.full_since += seconds;
      carried.lone_before += carried.lone_rate * seconds;
    }
  }
  /// Requires that nothing flows.
  void rewind() {
    for (Carried& carried : carried_) carried.used = 0, carried.saturation = 0;
  }

 private:
  struct Work {
    bool joins = false;         ///< it is to flow from the end of this instant on
    bool alone = false;         ///< see lone_work.hpp
    int group = -1;             ///< -1: of none
    int date = -1;              ///< of one that is alone: where dates_ has its end
    std::uint64_t stamp = 0;    ///< of its entry in that group, or in dates_
    double begun = 0;           ///< date since which it flows
    double rate = 0;            ///< of one that is alone
    double most = 0;            ///< rate that it cannot exceed; 0: it does not flow
    Exact left = 0;             ///< units when it begun; in a group: the end in its virtual time
    SmallTable<int, 6> places;  ///< of one that is alone: by use, its place in `alone` there
  };
  struct Group {
    GroupTime time;
    int date = -1;            ///< index in dates_; -1: it has none
    std::uint64_t dated = 0;  ///< stamp of that: others in its name are forgotten
    bool touched = false;     ///< its first end or its rate may have changed
  };
  struct Dated {
    int group = 0;  ///< or, where negative, ~work of one that is alone
    std::uint64_t dated = 0;
  };
  static constexpr double whole_share = 0x1p40;  ///< sums of whole numbers are exact
  struct LoneUse {
    int work = 0, use = 0;
  };
  struct Carried {        ///< by a resource
    double capacity = 0;  ///< of the resource
    double most = 0;      ///< its first capacity
    double shares = 0;    ///< of that, in a unit a second
    /// Units, less what its users would have moved since their group, or the clock, began.
    double used = 0;
    int flows = 0;                 ///< that the solver knows
    std::int64_t wanted = 0;       ///< shares of `most` that its users could take, all together
    double lone_rate = 0;          ///< units per second of the works that are alone
    double lone_before = 0;        ///< units that these would have moved since the clock began
    SmallTable<LoneUse, 1> alone;  ///< these works
    std::uint64_t saturation = 0;  ///< as the solver numbers it; then no sum over groups is needed
    double full_since = 0, full_used = 0;
  };

  auto is_live() const {
    return [this](const GroupTime::End& entry) {
      const Work& member = works_[entry.slot];
      return member.group >= 0 && member.stamp == entry.stamp;
    };
  }
  void enter(int id);
  void leave(int id, Exact at);
  static constexpr int leaves = -1;  ///< what follows works that have left, among delays
  bool is_late() const { return delays_.tolerance() > 0; }
  static constexpr bool can_wait = requires(Rates rates) { rates.tell(); };
  void begin(int id);
  void share(int id);
  void count_flows(int id, int change);
  static std::int64_t share_of(const Carried& carried, double rate);
  void want(int id);
  void want_no_longer(int id);
  bool has_room(int resource) const;
  void share_alone(int id);
  void begin_alone(int id);
  Exact moved_alone(const Work& work) const {
    return Exact(work.rate) * (Exact(*now_) - work.begun);
  }
  void end_alone(int id, Exact moved);
  void solve_due();
  void count_before(int id, double rate);
  /// Units that a work has moved since it began and has not joined, at this rate.
  Exact moved_before(const Work& joining, double rate) const {
    return std::min(joining.left, Exact(rate) * (Exact(*now_) - joining.begun));
  }
  void leave_rates(int id);
  void take_over(const MaxMin::Changes& changes);
  void touch(int group) {
    if (!std::exchange(groups_[group].touched, true)) touched_.push_back(group);
  }
  void set_date(int group);
  /// Latest date of an end that happens now: only what is within tolerance has not yet ended.
  double latest_end(int id) const {
    return *now_ + delays_.tolerance() * (*now_ - works_[id].begun);
  }
  template <class Visit>
  double end_group(int id, double until, Visit visit);

  const double* now_;
  Rates rates_;
  Table<Work> works_;
  std::vector<int> joining_;  ///< new at this instant
  Delays delays_;             ///< of works that join, and of `leaves`
  Table<Group> groups_;
  std::vector<int> touched_;        ///< groups
  mutable Table<Carried> carried_;  ///< by resource; used() finds out while they are full
  DateQueue<Dated> dates_;
  std::vector<Dated> due_;
  std::uint64_t stamps_ = 0;
  bool knows_most_ = true;  ///< no capacity was above its first one
};

template <class Rates>
void SharedWork<Rates>::set(int id, double amount, std::span<const Use> uses) {
  works_.grown(id).left = amount;
  rates_.set_uses(id, uses);
}

template <class Rates>
void SharedWork<Rates>::join(int id) {
  Work& joining = works_[id];
  joining.group = -1;
  if (!std::exchange(joining.joins, true)) joining_.push_back(id);
  joining.begun = *now_;
}

template <class Rates>
double SharedWork<Rates>::left(int id) const {
  const Work& asked = works_[id];
  if constexpr (can_wait)
    if (asked.joins && is_late())
      return rounded(asked.left - moved_before(asked, rates_.likely_rate(id)));
  if (asked.alone) return std::max(0.0, rounded(asked.left - moved_alone(asked)));
  if (asked.group < 0) return rounded(asked.left);
  return std::max(0.0, rounded(asked.left - groups_[asked.group].time.at(*now_)));
}

// Puts the work into the group that the solver has found for it.
template <class Rates>
void SharedWork<Rates>::enter(int id) {
  Work& entering = works_[id];
  const int to = rates_.group(id);
  if (entering.group == to) return;
  if (entering.group >= 0) {
    const Exact at = groups_[entering.group].time.at(*now_);
    leave(id, at);
    entering.left = std::max(Exact{0}, entering.left - at);
  } else if (is_late()) {
    count_before(id, rates_.rate(to));
  }
  Group& joined = groups_.grown(to);
  entering.group = to;
  entering.stamp = ++stamps_;
  const Exact left = entering.left;
  entering.left = joined.time.enter(left, id, entering.stamp, *now_);
  const double at = rounded(entering.left - left);
  for (const auto& use : rates_.uses(id)) carried_[use.resource].used -= use.weight * at;
  touch(to);
}

// Takes the work out of its group, at this virtual time of that.
template <class Rates>
void SharedWork<Rates>::leave(int id, Exact at) {
  Work& leaving = works_[id];
  groups_[leaving.group].time.leave();
  touch(leaving.group);
  leaving.group = -1;
  for (const auto& use : rates_.uses(id)) carried_[use.resource].used += use.weight * rounded(at);
}

template <class Rates>
void SharedWork<Rates>::stop(int id) {
  Work& stopped = works_[id];
  if constexpr (can_wait)
    if (stopped.joins && is_late()) count_before(id, rates_.likely_rate(id));
  stopped.joins = false;
  want_no_longer(id);
  if (stopped.alone) return end_alone(id, moved_alone(stopped));
  if (stopped.group < 0) return;
  const Exact at = groups_[stopped.group].time.at(*now_);
  leave(id, at);
  stopped.left = std::max(Exact{0}, stopped.left - at);
  leave_rates(id);
}

template <class Rates>
void SharedWork<Rates>::solve() {
  if constexpr (can_wait)
    if (is_late()) return solve_due();
  for (const int id : joining_)
    if (std::exchange(works_[id].joins, false)) begin(id);
  joining_.clear();
  if constexpr (can_wait)
    if (touched_.empty() && rates_.is_solved()) return;
  take_over(rates_.solve());
}

template <class Rates>
void SharedWork<Rates>::take_over(const MaxMin::Changes& changes) {
  for (const int id : changes.moved) enter(id);
  for (const int id : changes.groups) touch(id);
  for (const int id : touched_) set_date(id);
  touched_.clear();
}

template <class Rates>
void SharedWork<Rates>::set_date(int id) {
  Group& changed = groups_[id];
  changed.touched = false;
  changed.dated = 0;
  if (changed.date >= 0) dates_.forget(std::exchange(changed.date, -1));
  if (changed.time.is_empty()) return;
  changed.time.set_rate(rates_.rate(id), *now_);
  changed.dated = ++stamps_;
  changed.date = dates_.add(changed.time.first_end(is_live()), {id, changed.dated});
}

template <class Rates>
template <class Visit>
void SharedWork<Rates>::take_done(double until, Visit visit) {
  for (double last = until; dates_.next_date() <= last;) {
    while (dates_.next_date() <= last) dates_.take(due_);
    for (const Dated& due : due_) {
      if (due.group < 0) {
        const int id = ~due.group;
        if (works_[id].stamp != due.dated) continue;
        works_[id].date = -1;
        want_no_longer(id);
        end_alone(id, works_[id].left);
        visit(id);
      } else if (groups_[due.group].dated == due.dated) {
        last = std::max(last, end_group(due.group, until, visit));
      }
    }
    due_.clear();
  }
}

// Ends those of a group that are due. Returns until when the ends of others may be early.
template <class Rates>
template <class Visit>
double SharedWork<Rates>::end_group(int id, double until, Visit visit) {
  double last = until;
  bool first = !is_late();  // its date was met, whatever its digits since
  groups_[id].date = -1;
  touch(id);
  groups_[id].time.take_ended(is_live(), [&](const GroupTime::End& entry, double date) {
    const double latest = is_late() ? std::max(until, latest_end(entry.slot)) : until;
    if (!std::exchange(first, false) && date > latest) return false;
    last = std::max(last, latest);
    leave(entry.slot, entry.at);
    want_no_longer(entry.slot);
    leave_rates(entry.slot);
    works_[entry.slot].left = 0.0;
    visit(entry.slot);
    return true;
  });
  return last;
}

}  // namespace ringscope::sim

#include "sim/kernel/late_work.hpp"
#include "sim/kernel/lone_work.hpp"
