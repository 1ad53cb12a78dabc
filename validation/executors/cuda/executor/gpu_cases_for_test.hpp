// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of executor 3: GPUs, the ways to use them, and one run of a program.
#pragma once

#include <limits>
#include <vector>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "base/table.hpp"
#include "validation/executors/cuda/executor/cuda_executor.hpp"
#include "validation/executors/cuda/testing/fake_gpus.hpp"

namespace ringscope::cuda {

inline constexpr double no_deadline = std::numeric_limits<double>::infinity();

inline Table<Table<bool>> all_peers(int gpus) { return {gpus, Table<bool>(gpus, true)}; }

inline std::vector<int> in_turn(int ranks, int gpus) {
  std::vector<int> gpu_of_rank;
  for (int rank = 0; rank < ranks; ++rank) gpu_of_rank.push_back(rank % gpus);
  return gpu_of_rank;
}

/// Everything through host memory, in segments of N bytes.
inline ExecutorOptions staged(std::size_t segment_bytes, int buffers) {
  ExecutorOptions options;
  options.transfers = {.always_staged = true, .segment_bytes = segment_bytes, .buffers = buffers};
  return options;
}

struct GpuRun {
  double seconds = 0;
  std::vector<std::vector<float>> data;  ///< of each rank
};

/// Ranks on the GPUs in turn, on fresh memory. `begun` is called when all is there and the program
/// has not begun.
template <typename Begun>
GpuRun run_on(Gpus& gpus, const ExecutorOptions& how, const Algorithm& algorithm, int ranks,
              std::size_t items, const Options& options, double deadline, Begun begun) {
  CudaExecutor executor(gpus, in_turn(ranks, gpus.count()), how);
  executor.allocate(items, algorithm.scratch_items(ranks, items, options));
  GpuRun result;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<float>& data = result.data.emplace_back(items);
    for (std::size_t i = 0; i < items; ++i) data[i] = item_of(rank, i);
    executor.fill(rank, data);
  }
  begun();
  result.seconds = executor.run(algorithm, options, deadline);
  for (int rank = 0; rank < ranks; ++rank)
    executor.read(rank, result.data[static_cast<std::size_t>(rank)]);
  return result;
}

inline GpuRun run_on(Gpus& gpus, const ExecutorOptions& how, const Algorithm& algorithm, int ranks,
                     std::size_t items, const Options& options = {}) {
  return run_on(gpus, how, algorithm, ranks, items, options, no_deadline, [] {});
}

}  // namespace ringscope::cuda
