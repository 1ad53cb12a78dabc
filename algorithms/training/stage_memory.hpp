// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory that a stage of a large model's training needs on a GPU: what a report repeats of it.
#pragma once

namespace ringscope {

/// Bytes that one GPU of a pipeline's stage holds.
struct StageMemory {
  int stage = 0;
  double parameters = 0, gradients = 0, optimiser = 0, activations = 0;
  double reserved = 0;  ///< by CUDA, by NCCL and in fragments

  double sum() const { return parameters + gradients + optimiser + activations + reserved; }
};

}  // namespace ringscope
