// SPDX-License-Identifier: LGPL-2.1-or-later
// ^C as a wish that a long search can grant.
#pragma once

#include <csignal>

namespace ringscope {

/// Keeps ^C from ending the program while it lives: whoever made it asks whether it came. A second
/// one ends the program. Threads that are started meanwhile leave it to the one that made this.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt& operator=(Interrupt&&) = delete;  ///< neither copied nor moved

  bool asked();  ///< by the thread that made it

 private:
  sigset_t interrupt_{}, before_{};
  bool asked_ = false;
};

}  // namespace ringscope
