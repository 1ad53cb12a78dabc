// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ringscope {
namespace {

using Seconds = std::chrono::duration<double>;

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

void ProgressLine::phase(std::string name, Clock::time_point now) {
  phase_ = std::move(name);
  phase_begun_ = now;
  first_ = -1;
  done_ = 0;
}

void ProgressLine::share(double done, Clock::time_point now) {
  done = std::clamp(done, 0.0, 1.0);
  if (first_ < 0) {
    first_ = done;
    first_at_ = done_at_ = now;
    done_ = done;
  }
  if (done <= done_) return;
  done_ = done;
  done_at_ = now;
}

// Nothing is said of the first hundredth.
std::string ProgressLine::left_text(Clock::time_point now) const {
  if (done_ - first_ < 0.01) return "";
  const double pace = (done_ - first_) / Seconds(done_at_ - first_at_).count();
  const double left = (1 - done_) / pace - Seconds(now - done_at_).count();
  return fmt::format(", {} left", duration(std::max(0.0, left)));
}

std::string ProgressLine::text(Clock::time_point now) const {
  constexpr int width = 40;
  if (now - begun_ < std::chrono::seconds(1)) return "";
  if (first_ < 0) {
    const std::string what = phase_.empty() ? "preparing" : phase_;
    return fmt::format("{}, {}", what, duration(Seconds(now - phase_begun_).count()));
  }
  const int full = static_cast<int>(done_ * width);
  return fmt::format("[{:#<{}}{:{}}] {:3.0f} %{}", "", full, "", width - full, 100 * done_,
                     left_text(now));
}

}  // namespace ringscope
