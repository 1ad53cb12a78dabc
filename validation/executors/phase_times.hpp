// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a rank in each step of each phase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

struct PhaseTime {
  std::string phase;
  int step = 0;
  double seconds = 0;
};

/// Steps in the order in which they were first entered.
class PhaseTimes {
 public:
  /// A step ends where the next one begins; what lies before the first belongs to none.
  void mark(Mark mark, double now);
  void end(double now);

  void add(std::string_view phase, int step, double seconds);
  void add(const PhaseTimes& other);
  const std::vector<PhaseTime>& times() const { return times_; }

 private:
  std::size_t find(std::string_view phase, int step);

  std::vector<PhaseTime> times_;
  std::size_t last_ = 0;  ///< steps come in the same order every time: the next is after it
  bool inside_ = false;
  double entered_ = 0;
};

}  // namespace ringscope
