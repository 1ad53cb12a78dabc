// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/run_cost.hpp"

namespace ringscope {

Estimate estimate_for(const Scenario& scenario, const RunOptions& options, bool on_simgrid,
                      double free_bytes) {
  Simulated simulated = {
      scenario.placement.ranks.size(),
      on_simgrid ? scenario.job.repetitions : simulated_repetitions(scenario, options)};
  Estimate estimate = estimate_of(scenario, on_simgrid, simulated);
  if (estimate.seconds >= long_s || estimate.memory_bytes > free_bytes) {
    simulated.ranks = simulated_ranks(scenario, options);
    estimate = estimate_of(scenario, on_simgrid, simulated);
  }
  require_memory(scenario, estimate, free_bytes);
  return estimate;
}

}  // namespace ringscope
