// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/progress_bar.hpp"

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <string_view>

#include "cli/terminal/screen.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr auto between_two = std::chrono::milliseconds(200);

// Not by stdio: a process that is forked meanwhile would inherit its lock.
void write_to_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Signals are for the threads that know what to do about them.
void take_no_signal() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

ProgressBar::ProgressBar(const std::string& phase, Redraw redraw)
    : terminal_(::isatty(STDERR_FILENO) == 1 && !quiet()),
      redraw_(redraw),
      line_(ProgressLine::Clock::now()) {
  line_.phase(phase, ProgressLine::Clock::now());
  if (terminal_ && redraw_ == Redraw::by_itself)
    thread_ = std::jthread([this](const std::stop_token& stop) { redraw_until(stop); });
}

ProgressBar::~ProgressBar() { end(); }

/// A thread's whole life.
void ProgressBar::redraw_until(const std::stop_token& stop) {
  take_no_signal();
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    draw();
    stopped.wait_for(lock, stop, between_two, [] { return false; });
  }
}

void ProgressBar::draw() {
  const std::string text = line_.text(ProgressLine::Clock::now());
  if (text.empty()) return;
  write_to_terminal('\r' + text + "\033[K");
  shown_ = true;
}

void ProgressBar::phase(const std::string& name) {
  const std::lock_guard lock(mutex_);
  line_.phase(name, ProgressLine::Clock::now());
}

void ProgressBar::show(double done) {
  const std::lock_guard lock(mutex_);
  line_.share(done, ProgressLine::Clock::now());
  if (terminal_ && redraw_ == Redraw::when_shown) draw();
}

void ProgressBar::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  remove();
  if (quiet()) return;
  write_to_terminal(for_terminal(text) + '\n');
}

void ProgressBar::end() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  remove();
}

void ProgressBar::remove() {
  if (shown_) write_to_terminal("\r\033[K");
  shown_ = false;
}

}  // namespace ringscope
