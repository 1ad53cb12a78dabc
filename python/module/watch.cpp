// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/watch.hpp"

namespace ringscope {

namespace py = pybind11;

void Watch::operator()(double share) {
  constexpr std::chrono::milliseconds pause(50);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < pause) return;
  last_ = now;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!show_->is_none()) (*show_)(share);
}

}  // namespace ringscope
