// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/build_text.hpp"

#include <fmt/format.h>

#include "sim/kernel/kernels.hpp"

namespace ringscope {

std::string build_text() {
  return fmt::format(
      "compiler:   {}\n"
      "standard:   C++ {}\n"
      "build type: {}\n"
      "sanitizers: {}\n"
      "libraries:  {}\n"
      "SimGrid:    {}, module {}",
      RINGSCOPE_COMPILER, __cplusplus, RINGSCOPE_BUILD_TYPE, RINGSCOPE_SANITIZERS,
      RINGSCOPE_LIBRARIES, RINGSCOPE_SIMGRID_VERSION,
      sim::simgrid_module_found() ? "found" : "not found");
}

}  // namespace ringscope
