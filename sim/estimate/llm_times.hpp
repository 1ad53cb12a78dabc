// SPDX-License-Identifier: LGPL-2.1-or-later
// A training step of a large model, put together from the times of its passes and of its exchanges,
// each simulated once. A simulation of the same job has all messages of all micro-batches.
#pragma once

#include "sim/estimate/group_times.hpp"

namespace ringscope {

/// Parts of a step, means over the stages of its pipeline; they add up to `step_s`.
struct LlmTimes {
  double step_s = 0;
  double busy_s = 0;      ///< forward and backward
  double repeated_s = 0;  ///< forward passes that backward repeats
  double tp_s = 0, cp_s = 0, ep_s = 0, pp_s = 0, dp_s = 0;  ///< exposed exchanges
  double bubble_s = 0;
  double update_s = 0;
  double overhead_s = 0;
};

/// Requires a job with `training->llm`.
LlmTimes llm_times(const Scenario& scenario, GroupTimes& groups);

}  // namespace ringscope
