// SPDX-License-Identifier: LGPL-2.1-or-later
// Words for those who wait: how much is done and how long it will take. Knows no terminal.
#pragma once

#include <chrono>
#include <string>

namespace ringscope {

/// Line about the work that goes on. Its shares never go back; the time left is that of the rest at
/// the pace since the first share, and goes down while nothing new is known.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressLine(Clock::time_point begun) : begun_(begun) {}

  /// Begins a part of the work whose share nobody knows: "reading"; or, "", the next one that has
  /// shares.
  void phase(std::string name, Clock::time_point now);
  void share(double done, Clock::time_point now);

  /// "" in the first second of the work. "[####      ]  40 %, 6 s left", or "reading, 4 s".
  std::string text(Clock::time_point now) const;

 private:
  std::string left_text(Clock::time_point now) const;

  Clock::time_point begun_;
  std::string phase_;
  Clock::time_point phase_begun_ = begun_;
  double first_ = -1, done_ = 0;  ///< shares; first < 0: none yet
  Clock::time_point first_at_, done_at_;
};

}  // namespace ringscope
