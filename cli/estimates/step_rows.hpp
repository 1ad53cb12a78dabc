// SPDX-License-Identifier: LGPL-2.1-or-later
// Training steps of large models by `estimate` and `advise`: their rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "sim/estimate/llm_times.hpp"

namespace ringscope {

/// An estimated step of one case.
struct StepRow {
  std::string name;
  std::string error;  ///< reason for which the case has no time; "" if it has one
  int gpus = 0;
  LlmTimes times;
  StageMemory memory;
  double tokens_per_s = 0;  ///< of all GPUs
  double utilisation = 0;   ///< model FLOPs utilisation (MFU) in the job's precision
  std::optional<TimeRange> likely{};
};

/// Throws InputError for a job that is no large model's.
StepRow step_row(const Scenario& scenario, KnownParts& known, SimulatedPrograms& simulated);

Json json_of(const StepRow& row);
/// A table of the rows, with the sum of the parts of each.
std::string text_of(const std::vector<StepRow>& rows);

/// Cases of a scenario's file, `overrides` laid over them, as `estimate` prints them.
void print_steps(const std::string& scenario, const std::vector<Override>& overrides,
                 const std::string& format, const std::string& output);

}  // namespace ringscope
