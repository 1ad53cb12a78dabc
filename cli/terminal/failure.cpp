// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/failure.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "topologies/input/characters.hpp"

namespace ringscope {

namespace {

bool errors_in_colour() {
  const char* unwanted = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && (unwanted == nullptr || *unwanted == '\0');
}

}  // namespace

// Not fmt::print: it throws when standard error is full too.
int report(const char* message, ExitCode code) {
  const bool coloured = errors_in_colour();
  if (coloured) std::fputs("\033[31m", stderr);
  std::fputs(for_terminal(message).c_str(), stderr);
  std::fputs(coloured ? "\033[0m\n" : "\n", stderr);
  return static_cast<int>(code);
}

}  // namespace ringscope
