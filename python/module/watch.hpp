// SPDX-License-Identifier: LGPL-2.1-or-later
// Progress and ^C of long work that runs without Python's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

namespace ringscope {

/// Called by the simulator with the share that is done. Now and then it takes Python's lock, tells
/// `show` that share, and throws what Python has to say: KeyboardInterrupt after ^C.
class Watch {
 public:
  /// `show`: a callable of one float, or None. The caller keeps it.
  explicit Watch(const pybind11::object& show) : show_(&show) {}
  void operator()(double share);

 private:
  const pybind11::object* show_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ringscope
