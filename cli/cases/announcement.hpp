// SPDX-License-Identifier: LGPL-2.1-or-later
// Whoever asks for much is told before it begins how long it takes, and what to ask for instead.
#pragma once

#include <span>

#include "cli/terminal/progress_bar.hpp"
#include "scenarios/question/estimate.hpp"
#include "sim/simulation.hpp"

namespace ringscope {

/// Shorter work is not announced.
inline constexpr double long_s = 60;

/// Cost of such a run. Throws InputError where the memory will not be there. What stands for others
/// is looked for only where that matters.
Estimate estimate_for(const Scenario& scenario, const RunOptions& options, bool on_simgrid,
                      double free_bytes);

/// "'job.repetitions', or ask for --tolerance 0.1%"
std::string what_to_lower(const Scenario& scenario, const Estimate& estimate,
                          const RunOptions& options);

/// Announces cases that will take long: each of those, or all together. `times`: as often will they
/// be simulated, changed a little. `at_once`: so many are.
void announce(std::span<const Scenario> scenarios, const RunOptions& options, bool on_simgrid,
              double times, int at_once, ProgressBar& bar);

}  // namespace ringscope
