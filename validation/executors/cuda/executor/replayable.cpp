// SPDX-License-Identifier: LGPL-2.1-or-later
// Refuses scenarios that GPUs cannot replay, before anything runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "validation/executors/cuda/executor/replay.hpp"

namespace ringscope::cuda {
namespace {

/// Memory that a rank allocates on its GPU for a vector of `items` items.
std::size_t bytes_of_rank(const Scenario& scenario, std::size_t items) {
  const int ranks = static_cast<int>(scenario.placement.ranks.size());
  const std::size_t scratch =
      scenario.job.algorithm->scratch_items(ranks, items, in_items(scenario.job.options));
  return (std::max<std::size_t>(items, 1) + std::max<std::size_t>(scratch, 1)) * item_bytes;
}

/// The runtime hands memory out in large pieces and keeps some for itself.
std::size_t usable(const GpuInfo& info) { return info.free_bytes / 64 * 63; }

/// Whole KiB of the longest vector for which a rank has room.
std::uint64_t longest_that_fits(const Scenario& scenario, std::size_t bytes) {
  constexpr std::size_t step = 1024 / item_bytes;
  std::size_t fits = 0, too_long = scenario.job.bytes.count / item_bytes / step + 1;
  while (too_long - fits > 1) {
    const std::size_t middle = fits + (too_long - fits) / 2;
    (bytes_of_rank(scenario, middle * step) <= bytes ? fits : too_long) = middle;
  }
  return fits * 1024;
}

void check_memory(const Scenario& scenario, const Gpus& gpus, const std::vector<int>& gpu_of_rank) {
  const std::size_t each = bytes_of_rank(scenario, scenario.job.bytes.count / item_bytes);
  std::map<int, std::size_t> ranks;
  for (const int gpu : gpu_of_rank) ++ranks[gpu];
  for (const auto& [gpu, count] : ranks) {
    const GpuInfo info = gpus.info(gpu);
    if (each * count <= usable(info)) continue;
    const std::uint64_t longest = longest_that_fits(scenario, usable(info) / count);
    scenario.resolved.find("job")->fail(fmt::format(
        "{} of {} ranks on GPU {} ({}) need {} each with their scratch space, and {} are free in "
        "all: set job.bytes to at most {}, or put no more than {} there",
        count, gpu_of_rank.size(), gpu, info.name, to_text(Bytes{each}),
        to_text(Bytes{info.free_bytes}), to_text(Bytes{longest}), usable(info) / each));
  }
}

}  // namespace

std::vector<int> gpu_of_ranks(const Scenario& scenario, const Gpus& gpus,
                              const ReplayOptions& options) {
  std::vector<int> gpu_of_rank;
  for (std::size_t rank = 0; rank < scenario.placement.ranks.size(); ++rank)
    gpu_of_rank.push_back(options.gpus.empty() ? static_cast<int>(rank) % gpus.count()
                                               : options.gpus[rank % options.gpus.size()]);
  return gpu_of_rank;
}

void check_replayable(const Scenario& scenario, const Gpus& gpus, const ReplayOptions& options) {
  check_one_job_of_floats(scenario);
  const Value* job = scenario.resolved.find("job");
  if (scenario.job.overlap || scenario.job.algorithm->nonblocking > 0)
    job->fail(fmt::format(
        "a non-blocking collective of ours cannot be replayed: no library's progress engine runs "
        "its steps; {}",
        scenario.job.overlap ? "replay it without job.overlap"
                             : "choose an algorithm that has none inside"));
  check_memory(scenario, gpus, gpu_of_ranks(scenario, gpus, options));
}

}  // namespace ringscope::cuda
