// SPDX-License-Identifier: LGPL-2.1-or-later
// A training step of a large model, put together from the times of its passes and of its exchanges,
// each simulated once. A simulation of the same job has all messages of all micro-batches.
#pragma once

#include "algorithms/training/llm/llm.hpp"
#include "base/table.hpp"
#include "sim/estimate/group_times.hpp"

namespace ringscope {

// When the stages of a pipeline take their micro-batches forward and backward: arithmetic only.

/// A pipeline whose passes and messages have known times, in seconds.
struct Pipeline {
  int stages = 1, parts = 1, micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  Table<Table<double>> forward, backward;  ///< of each stage and part
  Table<double>
      messages;  ///< from each stage to the next, from the last one to the first, and back
};

/// Ends of a stage's passes.
struct StageTimes {
  double end = 0;             ///< of the last pass
  double sent = 0;            ///< time of messages for which the stage waits
  Table<double> first_start;  ///< of each part: when its first micro-batch begins forward
  Table<double> last_end;     ///< of each part: when its last micro-batch has gone backward
};

/// As llm_pipeline.cpp does it: without an interleaved schedule a stage waits for its messages.
Table<StageTimes> pipeline_times(const Pipeline& pipeline);

// The times of a step.

/// Parts of a step, means over the stages of its pipeline; they add up to `step_s`.
struct LlmTimes {
  double step_s = 0;
  double busy_s = 0;      ///< forward and backward
  double repeated_s = 0;  ///< forward passes that backward repeats
  double slowest_s = 0;   ///< computation: what the slowest GPU takes above their mean
  double tp_s = 0, cp_s = 0, ep_s = 0, pp_s = 0, dp_s = 0;  ///< exposed exchanges
  double bubble_s = 0;
  double checks_s = 0;  ///< sums of the norm of all gradients, and of overflows
  double update_s = 0;
  double input_s = 0;  ///< waits for the batch
  HostWork host;
};

/// Requires a job with `training->llm`.
LlmTimes llm_times(const Scenario& scenario, GroupTimes& groups);

}  // namespace ringscope
