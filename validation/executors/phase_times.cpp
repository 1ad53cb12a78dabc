// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/phase_times.hpp"

namespace ringscope {

std::size_t PhaseTimes::find(std::string_view phase, int step) {
  const std::size_t known = times_.size();
  for (std::size_t i = 0; i < known; ++i) {
    const std::size_t place = (last_ + 1 + i) % known;
    if (times_[place].step == step && times_[place].phase == phase) return place;
  }
  times_.push_back({std::string(phase), step, 0});
  return known;
}

void PhaseTimes::mark(Mark mark, double now) {
  end(now);
  last_ = find(mark.phase, mark.step);
  entered_ = now;
  inside_ = true;
}

void PhaseTimes::end(double now) {
  if (inside_) times_[last_].seconds += now - entered_;
  inside_ = false;
}

void PhaseTimes::add(std::string_view phase, int step, double seconds) {
  last_ = find(phase, step);
  times_[last_].seconds += seconds;
}

void PhaseTimes::add(const PhaseTimes& other) {
  for (const PhaseTime& time : other.times()) add(time.phase, time.step, time.seconds);
}

}  // namespace ringscope
