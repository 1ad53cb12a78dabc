// A bar on standard error for those who wait at a terminal.
#pragma once

#include <chrono>
#include <string>

namespace ringscope {

/// Shows nothing in the first second, and nothing at all where standard error is no terminal.
/// Destruction removes the bar.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double done);  ///< from 0 to 1

 private:
  std::string left_text(double done) const;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ringscope
