#include "cli/terminal/progress_bar.hpp"

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

/// Time left if it goes on as until now; nothing of the first hundredth.
std::string ProgressBar::left_text(double done) const {
  if (done < 0.01) return "";
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
  const double left = std::max(0.0, gone.count() * (1 - done) / done);
  if (left < 100) return fmt::format(", {:.0f} s left", left);
  return left < 6000 ? fmt::format(", {:.0f} min left", left / 60)
                     : fmt::format(", {:.0f} h left", left / 3600);
}

void ProgressBar::show(double done) {
  constexpr int width = 40;
  if (!terminal_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  const int full = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  const std::string bar = fmt::format("\r[{:#<{}}{:{}}] {:3.0f} %{}\033[K", "", full, "",
                                      width - full, 100 * std::min(done, 1.0), left_text(done));
  std::fputs(bar.c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace ringscope
