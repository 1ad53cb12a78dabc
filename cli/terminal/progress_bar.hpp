// SPDX-License-Identifier: LGPL-2.1-or-later
// A bar on standard error for those who wait at a terminal.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace ringscope {

// Words for those who wait: how much is done and how long it will take. Knows no terminal.

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

/// Shows nothing in the first second, and nothing at all where standard error is no terminal.
/// Destruction removes the bar.
class ProgressBar {
 public:
  /// Redrawing: five times a second, by a thread, so that what is long without a word is still seen
  /// to go on; or, where that would disturb what is measured, by whoever shows a share.
  enum class Redraw { by_itself, when_shown };

  explicit ProgressBar(const std::string& phase = "", Redraw redraw = Redraw::by_itself);
  ~ProgressBar();
  ProgressBar& operator=(ProgressBar&&) = delete;  ///< neither copied nor moved

  void phase(const std::string& name);  ///< as of a ProgressLine
  void show(double done);               ///< from 0 to 1
  void say(const std::string& text);    ///< a line on standard error, terminal or not, for good
  template <typename First, typename... Rest>
  void say(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
    say(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  void end();  ///< removes it, and shows nothing more

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

// Answers for people on standard output: as they are in a pipe, so that the same input gives the
// same bytes; fitted and coloured at a terminal.

// Screens as a terminal of some width shows them: narrower tables, lines that are folded, colours.
// Knows no terminal.

/// The text with no line longer than `columns`, where it can be: of tables (lines with columns, two
/// spaces or more between them) the widest columns of words are shortened, "~" where something is
/// left out, and where that is not enough the last columns stand below, beside the first one; other
/// lines go on in the next one, as far in as they began.
std::string fitted(std::string_view text, std::size_t columns);

/// The text with the heads of its tables in bold and its warnings in yellow. For a text in columns
/// that has not been coloured yet.
std::string coloured(std::string_view text);

/// --quiet: the answer alone, without progress, announcements and suggestions.
bool& quiet();

/// Prints an answer. At a terminal no line is longer than COLUMNS or, without that, than the
/// terminal is wide; coloured unless NO_COLOR is set. Throws as write_output.
void show_screen(const std::string& text);

/// Prints an answer for people, if it goes to standard output ("-"), or writes it as it is.
void show_or_write(const std::string& text, const std::string& output, bool for_people);

/// Says which command is useful next, in one line, to a terminal alone.
void suggest(const std::string& command);

}  // namespace ringscope
