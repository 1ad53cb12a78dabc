// SPDX-License-Identifier: LGPL-2.1-or-later
// Changes of rates that may come late: each by at most a share of a time of its own.
//
// Their dates lie on a grid, a power of two that fits the delay, so that many come together.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ringscope::sim {

class Delays {
 public:
  /// Share by which changes may be late; 0, the default: nobody is to add any.
  void set_tolerance(double share) { tolerance_ = share; }
  double tolerance() const { return tolerance_; }

  /// Puts off a change, known by its number, by at most the share of so many seconds from now.
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
