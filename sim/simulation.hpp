// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulator: one case in, one report out.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

#include "scenarios/answer/report.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/alike/alike_ranks.hpp"
#include "sim/run_options.hpp"

namespace ringscope {

/// Ranks that can never go on; what() names each, what it waits for, and where it stands.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DeadlockError unless `options` keep it, and std::invalid_argument for an unknown kernel.
/// The simgrid kernel can be used once per process.
Report simulate(const Scenario& scenario, const RunOptions& options);
/// With the proof of which ranks stand for others: alike_for() of the same arguments.
Report simulate(const Scenario& scenario, const RunOptions& options, sim::Alike alike);

/// Repetitions that such a run simulates: all, or the first one, of which each other is a copy.
int simulated_repetitions(const Scenario& scenario, const RunOptions& options);

std::span<const std::string_view> kernel_names();

}  // namespace ringscope
