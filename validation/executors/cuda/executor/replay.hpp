// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the cases of a scenario for real on GPUs, with data that is checked, timed repetition by
// repetition.
#pragma once

#include "validation/executors/batches.hpp"
#include "validation/executors/cuda/executor/cuda_executor.hpp"
#include "validation/executors/replayed.hpp"

namespace ringscope::cuda {

struct ReplayOptions {
  RepetitionRule repetitions{.stop = {.budget_s = 20}};
  std::vector<int> gpus;  ///< of rank 0, rank 1, ..., from the front again; empty: all in turn
  ExecutorOptions executor;
  double timeout_s = 300;  ///< of a case
};

/// The GPU of each rank.
std::vector<int> gpu_of_ranks(const Scenario& scenario, const Gpus& gpus,
                              const ReplayOptions& options);

/// Throws InputError for a scenario that these GPUs cannot replay: vectors that do not fit into
/// what they have free, a vector that is no whole number of floats, a GPU that is not there.
void check_replayable(const Scenario& scenario, const Gpus& gpus, const ReplayOptions& options);

/// Throws WrongResult, Stuck, GpuError.
CaseSamples replay(const Scenario& scenario, Gpus& gpus, CudaExecutor& executor,
                   const ReplayOptions& options);

/// "device", "peer", "staged", or several of them: of the messages between two ranks of the job.
std::string paths_text(const CudaExecutor& executor);

}  // namespace ringscope::cuda
