// SPDX-License-Identifier: LGPL-2.1-or-later
// Training steps of large models by `estimate` and `advise`: their rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/workload/transformer.hpp"
#include "sim/estimate/llm_times.hpp"

namespace ringscope {

// Ways to split a large model over GPUs: which there are, arithmetic only.

/// Sizes of the groups and settings of a job of `program: llm`.
struct Split {
  int tensor = 1, context = 1, expert = 1, stages = 1, data = 1;
  int parts = 1, micro_batch = 1, micro_batches = 1;
  int zero = 1;
  bool repeats = false;               ///< full recomputation
  std::string order = "tp-cp-dp-pp";  ///< nesting of the groups, innermost first

  /// All that place the groups differently, with tp innermost; the usual order is the first.
  std::vector<std::string> orders() const;

  /// "tp 8, pp 4 x 2, dp 16, zero 1, micro-batch 1".
  std::string text() const;
  /// `groups` and `options` of the job, beside `model` and `gpu`, in YAML.
  std::string groups() const;
  std::string options() const;
};

struct SplitQuestion {
  int gpus = 1, gpus_of_host = 1;
  int batch = 1;  ///< sequences of a step, of all GPUs
};

/// All splits whose sizes divide what they cut: tensor groups inside hosts, at most 64 stages,
/// context groups for sequences of 16,384 tokens and more, expert groups of a model with experts,
/// micro-batches of 1, 2 and 4 sequences; without recomputation.
std::vector<Split> splits_of(const Transformer& model, const SplitQuestion& question);

// Rows of steps.

/// An estimated step of one case.
struct StepRow {
  std::string name;
  std::string error;  ///< reason for which the case has no time; "" if it has one
  int gpus = 0;
  LlmTimes times;
  StageMemory memory;
  bool may_not_fit = false;  ///< real jobs took more than `memory`
  double tokens_per_s = 0;   ///< of all GPUs
  double utilisation = 0;    ///< model FLOPs utilisation (MFU) in the job's precision
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
