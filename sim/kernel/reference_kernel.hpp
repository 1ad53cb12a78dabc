// The kernel that others are held against: slow, and nothing in it but what kernel.hpp says.
#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// Looks at everything at every instant: for some thousand messages, not for a million.
std::unique_ptr<Kernel> make_reference_kernel();

}  // namespace ringscope::sim
