// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

using Seconds = std::chrono::duration<double>;

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.0f} h", seconds / 3600);
}

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
