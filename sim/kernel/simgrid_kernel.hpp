// The kernel whose rates SimGrid finds: the check of ours.
#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// Throws std::logic_error when the process has made one before: SimGrid's engine is a singleton.
std::unique_ptr<Kernel> make_simgrid_kernel();

}  // namespace ringscope::sim
