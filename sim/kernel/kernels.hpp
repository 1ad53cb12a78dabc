// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels, each made by a function of its own.
#pragma once

#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// A max-min kernel of our own: many in a process, each for one thread at a time. What
/// begins or ends within a share `tolerance` of its own time of others does so with them.
std::unique_ptr<Kernel> make_fluid_kernel(double tolerance);

/// The kernel that others are held against: slow, and nothing in it but what kernel.hpp says. It
/// looks at everything at every instant: for some thousand messages, not for a million.
std::unique_ptr<Kernel> make_reference_kernel();

/// The kernel whose rates SimGrid finds: the check of ours. Throws std::logic_error when the
/// process has made one before: SimGrid's engine is a singleton; std::runtime_error without the
/// module that holds SimGrid.
std::unique_ptr<Kernel> make_simgrid_kernel();

/// Whether the module that holds SimGrid can be loaded; it is, to find out.
bool simgrid_module_found();

}  // namespace ringscope::sim
