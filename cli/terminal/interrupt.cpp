// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/terminal/interrupt.hpp"

#include <ctime>

namespace ringscope {

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
