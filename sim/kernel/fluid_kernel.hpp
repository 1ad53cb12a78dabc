// The fluid kernel: ours.
#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// A max-min kernel of our own: many in a process, each for one thread at a time.
std::unique_ptr<Kernel> make_fluid_kernel();

}  // namespace ringscope::sim
