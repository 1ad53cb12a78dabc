// SPDX-License-Identifier: LGPL-2.1-or-later
// Ways to split a large model over GPUs: which there are, arithmetic only.
#pragma once

#include <string>
#include <vector>

#include "scenarios/workload/transformer.hpp"

namespace ringscope {

/// Sizes of the groups and settings of a job of `program: llm`.
struct Split {
  int tensor = 1, context = 1, expert = 1, stages = 1, data = 1;
  int parts = 1, fewer_at_ends = 0;
  int micro_batch = 1, micro_batches = 1;
  int zero = 1;
  bool repeats = false;  ///< full recomputation

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

}  // namespace ringscope
