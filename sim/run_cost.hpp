// SPDX-License-Identifier: LGPL-2.1-or-later
// Cost of a run, told before it begins: of what is simulated, not of all that this stands for.
#pragma once

#include "scenarios/question/estimate.hpp"
#include "sim/simulation.hpp"

namespace ringscope {

/// Shorter work is not announced.
inline constexpr double long_s = 60;

/// Cost of such a run. Throws InputError where the memory will not be there: the command line,
/// Python and the C++ library all ask here. What stands for others is looked for only where that
/// matters.
Estimate estimate_for(const Scenario& scenario, const RunOptions& options, bool on_simgrid,
                      double free_bytes);

}  // namespace ringscope
