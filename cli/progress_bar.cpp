#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ringscope {

ProgressBar::ProgressBar()
    : terminal_(::isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double done) {
  constexpr int width = 40;
  if (!terminal_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  const int full = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  const std::string bar =
      fmt::format("\r[{:#<{}}{:{}}] {:3.0f} %", "", full, "", width - full, 100 * done);
  std::fputs(bar.c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace ringscope
