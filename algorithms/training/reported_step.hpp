// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory and host's work of a large model's step: what a report repeats of them.
#pragma once

namespace ringscope {

/// Bytes that one GPU of a pipeline's stage holds.
struct StageMemory {
  int stage = 0;
  double parameters = 0, gradients = 0, optimiser = 0, activations = 0;
  double reserved = 0;  ///< by CUDA, by NCCL and in fragments

  double sum() const { return parameters + gradients + optimiser + activations + reserved; }
};

/// Waits of all GPUs for their host in a step: expected seconds.
struct HostWork {
  double overhead_s = 0;    ///< `step_overhead`
  double logging_s = 0;     ///< metrics and their output
  double collection_s = 0;  ///< garbage collection of the interpreter
  double checkpoint_s = 0;

  double sum() const { return overhead_s + logging_s + collection_s + checkpoint_s; }
};

}  // namespace ringscope
