// SPDX-License-Identifier: LGPL-2.1-or-later
// Whoever asks for much is told before it begins how long it takes, and what to ask for instead.
#pragma once

#include <span>

#include "cli/terminal/progress_bar.hpp"
#include "sim/session/session.hpp"

namespace ringscope {

/// "'job.repetitions', or ask for --tolerance 0.1%"
std::string what_to_lower(const Scenario& scenario, const Estimate& estimate,
                          const RunOptions& options);

/// Announces cases that will take long: each of those, or all together. `times`: as often will they
/// be simulated, changed a little. `at_once`: so many are.
void announce(std::span<const Case> cases, const RunOptions& options, bool on_simgrid, double times,
              int at_once, ProgressBar& bar);

}  // namespace ringscope
