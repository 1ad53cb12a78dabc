// SPDX-License-Identifier: LGPL-2.1-or-later
// Virtual time of a group: activities that always have the same rate.
//
// It is what each of them has moved since it began, the integral of the rate. One that enters at V
// with m units to go ends at V + m, whatever becomes of the rate: when that changes, only one date
// does, that of the first end.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

class GroupTime {
 public:
  /// An activity's end in virtual time. The stamp tells it from others that had its slot.
  struct End {
    Exact at = 0;
    int slot = 0;
    std::uint64_t stamp = 0;
    bool operator<(const End& other) const { return at > other.at; }
  };

  bool is_empty() const { return members_ == 0; }
  double rate() const { return rate_; }
  Exact at(double now) const {
    return now == since_ ? moved_ : moved_ + Exact(rate_) * (Exact(now) - since_);
  }

  /// The nearest double to that. Kept, for each resource of each member asks.
  double rounded_at(double now) const {
    if (now != asked_) {
      asked_ = now;
      found_ = rounded(at(now));
    }
    return found_;
  }

  /// The rate from now on.
  void set_rate(double rate, double now) {
    if (rate == rate_) return;
    moved_ = at(now);
    since_ = now;
    rate_ = rate;
  }
  /// Returns the virtual time of its end. An empty group begins anew.
  Exact enter(Exact left, int slot, std::uint64_t stamp, double now) {
    if (members_++ == 0) {
      ends_.clear();
      moved_ = 0.0;
      rate_ = 0;
      since_ = now;
      asked_ = -1;
    }
    const Exact end = at(now) + left;
    ends_.push_back({end, slot, stamp});
    if (ends_.size() > 1) std::push_heap(ends_.begin(), ends_.end());
    return end;
  }
  /// One member less; its entry is dropped when it is met.
  void leave() { --members_; }
  void shift(double seconds) { since_ += seconds; }

  /// Date of the first end. Requires a member, and is_live(entry) to tell entries of members.
  template <class IsLive>
  double first_end(IsLive is_live) {
    if (ends_.size() > 16 + 2 * members_) {
      ends_.erase(std::remove_if(ends_.begin(), ends_.end(),
                                 [&](const End& entry) { return !is_live(entry); }),
                  ends_.end());
      std::make_heap(ends_.begin(), ends_.end());
    }
    while (!is_live(ends_.front())) pop();
    return date_of(since_, ends_.front().at - moved_, rate_);
  }
  /// Drops the entries of members for which ends(entry, date) is true, the first ones first.
  template <class IsLive, class Ends>
  void take_ended(IsLive is_live, Ends ends) {
    while (!ends_.empty()) {
      const End first = ends_.front();
      if (is_live(first) && !ends(first, date_of(since_, first.at - moved_, rate_))) return;
      pop();
    }
  }

 private:
  void pop() {
    if (ends_.size() > 1) std::pop_heap(ends_.begin(), ends_.end());
    ends_.pop_back();
  }

  double rate_ = 0;
  double since_ = 0;  ///< date of `moved_`
  Exact moved_ = 0;
  mutable double asked_ = -1, found_ = 0;  ///< by rounded_at()
  std::size_t members_ = 0;
  boost::container::small_vector<End, 1> ends_;  ///< a heap, first one first
};

// Changes of rates that may come late: each by at most a share of a time of its own.
//
// Their dates lie on a grid, a power of two that fits the delay, so that many come together.

class Delays {
 public:
  /// Share by which changes may be late; 0, the default: nobody is to add any.
  void set_tolerance(double share) { tolerance_ = share; }
  double tolerance() const { return tolerance_; }

  /// Puts off a change, known by its number, by at most the tolerated share of `seconds` from now.
  void add(double now, double seconds, int change) {
    const double most = tolerance_ * seconds;
    double until = now;
    if (now + most > now) {
      const double grid = std::exp2(std::floor(std::log2(most)));
      until = std::max(until, std::floor((now + most) / grid) * grid);
    }
    changes_.push_back({until, change});
    std::push_heap(changes_.begin(), changes_.end());
  }
  /// Infinity when there is none.
  double next_date() const {
    return changes_.empty() ? std::numeric_limits<double>::infinity() : changes_.front().until;
  }
  /// Calls visit(change) for all that are due. Returns whether any was.
  bool take_due(double now, auto visit) {
    const bool any = next_date() <= now;
    while (next_date() <= now) {
      const int change = changes_.front().number;
      std::pop_heap(changes_.begin(), changes_.end());
      changes_.pop_back();
      visit(change);
    }
    return any;
  }
  void shift(double seconds) {
    for (Change& moved : changes_) moved.until += seconds;
  }

 private:
  struct Change {
    double until = 0;
    int number = 0;
    bool operator<(const Change& other) const { return until > other.until; }
  };

  double tolerance_ = 0;
  std::vector<Change> changes_;  ///< a heap, first one first
};

}  // namespace ringscope::sim
