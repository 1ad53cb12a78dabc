// SPDX-License-Identifier: LGPL-2.1-or-later
// Time that a thread spends in calls on communicators of some ranks, by what is done in them.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"

namespace ringscope::sim {

/// Names of what is done in the communicators of a run. Contexts tell those apart that a split
/// made; tags, those of a program that knows its groups from the start.
class GroupNames {
 public:
  void name(int context, std::string_view part) {
    int& index = index_.grown(context, -1);
    if (index < 0) index = place_of(part);
  }
  /// The next `tags` tags of the communicator of all ranks, from 0 on, are of messages there.
  void name_tags(int tags, std::string_view part) {
    tags_ = tags;
    by_tag_.push_back(place_of(part));
  }
  /// Index of the communicator's name; -1: that of all ranks, or one without a name.
  int index_of(const Tag& tag) const {
    if (tag.context == 0 && tags_ > 0 && tag.number >= 0) return at(by_tag_, tag.number / tags_);
    return at(index_, tag.context);
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static int at(const Table<int>& list, int number) { return list.has(number) ? list[number] : -1; }
  int place_of(std::string_view part) {
    const auto found = std::find(names_.begin(), names_.end(), part);
    if (found == names_.end()) names_.push_back(part);
    return static_cast<int>(std::find(names_.begin(), names_.end(), part) - names_.begin());
  }

  Table<int> index_;   ///< by context
  Table<int> by_tag_;  ///< by tag, `tags_` at a time
  int tags_ = 0;
  std::vector<std::string_view> names_;
};

/// Seconds in one communicator's calls, and in the work that they cause: reductions, copies.
struct CallTime {
  double all = 0;
  double partner = 0;  ///< the part in which the other side had not posted its call yet
};

/// A thread's, by index of the communicator's name.
class GroupTimes {
 public:
  /// From now on the thread is in calls on that communicator; -1: on none of them.
  void enter(int index) { now_ = index; }
  int now() const { return now_; }
  void spend(double seconds) {
    if (CallTime* time = current()) time->all += seconds;
  }
  void wait_for_partner(double seconds) {
    if (CallTime* time = current()) time->partner += seconds;
  }
  /// The time since `before` comes `times` times over.
  void repeat(int times, const GroupTimes& before) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const CallTime was = before.of(i);
      times_[i].all += times * (times_[i].all - was.all);
      times_[i].partner += times * (times_[i].partner - was.partner);
    }
  }
  CallTime of(Index auto index) const { return times_.has(index) ? times_[index] : CallTime(); }
  void reset() { times_.clear(); }

 private:
  CallTime* current() { return now_ < 0 ? nullptr : &times_.grown(now_); }

  Table<CallTime> times_;
  int now_ = -1;
};

}  // namespace ringscope::sim
