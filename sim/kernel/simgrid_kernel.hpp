#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// The reference kernel: SimGrid's engine and max-min solver, without actors. Once per process.
std::unique_ptr<Kernel> make_simgrid_kernel();

}  // namespace ringscope::sim
