// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "cli/terminal/looks.hpp"
#include "cli/terminal/output_file.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

bool at_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// No limit where nobody knows one.
std::size_t width() {
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(said.data(), said.data() + said.size(), columns);
  if (columns > 0) return columns;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::numeric_limits<std::size_t>::max();
}

// https://no-color.org: set, and not empty.
bool in_colours() { return variable("NO_COLOR").empty() && variable("TERM") != "dumb"; }

}  // namespace

bool& quiet() {
  static bool said = false;
  return said;
}

void show_screen(const std::string& text) {
  if (!at_terminal()) return write_output("-", text);
  const std::string lines = fitted(text, width());
  write_output("-", in_colours() ? coloured(lines) : lines);
}

void suggest(const std::string& command) {
  if (quiet() || !at_terminal()) return;
  const std::string line = "next: " + for_terminal(command);
  write_output("-", '\n' + (in_colours() ? "\033[2m" + line + "\033[0m" : line) + '\n');
}

}  // namespace ringscope
