// The fluid kernel: ours.
#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// A max-min kernel of our own: many in a process, each for one thread at a time. What
/// begins or ends within a share `tolerance` of its own time of others does so with them.
std::unique_ptr<Kernel> make_fluid_kernel(double tolerance);

}  // namespace ringscope::sim
