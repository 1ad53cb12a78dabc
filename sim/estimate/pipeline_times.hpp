// SPDX-License-Identifier: LGPL-2.1-or-later
// When the stages of a pipeline take their micro-batches forward and backward: arithmetic only.
#pragma once

#include "algorithms/training/llm.hpp"
#include "base/table.hpp"

namespace ringscope {

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

}  // namespace ringscope
