// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/failure.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

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

// A blocked signal stays pending: no handler, and so nothing global.
Interrupt::Interrupt() {
  ::sigemptyset(&interrupt_);
  ::sigaddset(&interrupt_, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &interrupt_, &before_);
}

Interrupt::~Interrupt() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool Interrupt::asked() {
  const timespec at_once{};
  if (!asked_ && ::sigtimedwait(&interrupt_, nullptr, &at_once) == SIGINT) {
    asked_ = true;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  return asked_;
}

}  // namespace ringscope
