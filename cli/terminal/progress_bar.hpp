// SPDX-License-Identifier: LGPL-2.1-or-later
// A bar on standard error for those who wait at a terminal.
#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal/progress_line.hpp"

namespace ringscope {

/// Shows nothing in the first second, and nothing at all where standard error is no terminal.
/// Destruction removes the bar.
class ProgressBar {
 public:
  /// Redrawing: five times a second, by a thread, so that what is long without a word is still seen
  /// to go on; or, where that would disturb what is measured, by whoever shows a share.
  enum class Redraw { by_itself, when_shown };

  explicit ProgressBar(const std::string& phase = "", Redraw redraw = Redraw::by_itself);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void phase(const std::string& name);  ///< as of a ProgressLine
  void show(double done);               ///< from 0 to 1
  void say(const std::string& text);    ///< a line on standard error, terminal or not, for good
  void end();                           ///< removes it, and shows nothing more

 private:
  void redraw_until(const std::stop_token& stop);
  void draw();
  void remove();

  const bool terminal_;
  const Redraw redraw_;
  std::mutex mutex_;  ///< guards all below but the thread
  ProgressLine line_;
  bool shown_ = false;
  std::jthread thread_;  ///< last: it uses all the others; none where there is no terminal
};

}  // namespace ringscope
