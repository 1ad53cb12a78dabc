// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/executor/replay.hpp"

#include <fmt/ranges.h>

#include "algorithms/loopback/loopback.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope::cuda {
namespace {

using Json = nlohmann::ordered_json;

/// The repetitions of one case.
class Repetitions {
 public:
  Repetitions(const Scenario& scenario, Gpus& gpus, CudaExecutor& executor,
              const ReplayOptions& options)
      : scenario_(scenario),
        gpus_(gpus),
        executor_(executor),
        options_(options),
        deadline_(gpus.now() + options.timeout_s),
        hosts_(executor.size(), 0),
        job_options_(in_items(scenario.job.options)),
        spent_(hosts_.size()) {
    job_options_.given.hosts = &hosts_;
    const Algorithm& algorithm = *scenario.job.algorithm;
    const std::size_t items = scenario.job.bytes.count / item_bytes;
    expected_ = run_loopback(algorithm, executor.size(), items, job_options_, initial_item).data;
    for (int rank = 0; rank < executor.size(); ++rank) {
      std::vector<float>& data = initial_.emplace_back(items);
      for (std::size_t item = 0; item < items; ++item) data[item] = initial_item(rank, item);
    }
    got_.resize(items);
    executor.allocate(items, algorithm.scratch_items(executor.size(), items, job_options_));
  }

  CaseSamples run() {
    result_.stopped_by = repeat(
        options_.repetitions, result_.samples_s, [this] { return gpus_.now(); },
        [this](bool warmup) { repeat_once(warmup); });
    result_.ranks = Json::array();
    for (int rank = 0; rank < executor_.size(); ++rank) result_.ranks.push_back(entry_of(rank));
    return std::move(result_);
  }

 private:
  void repeat_once(bool warmup) {
    for (int rank = 0; rank < executor_.size(); ++rank) executor_.fill(rank, initial_[rank]);
    const double seconds = executor_.run(*scenario_.job.algorithm, job_options_, deadline_);
    check();
    if (!warmup) keep(seconds);
  }

  void keep(double seconds) {
    result_.samples_s.push_back(seconds);
    for (std::size_t rank = 0; rank < spent_.size(); ++rank) {
      const Rank& of = executor_.rank(static_cast<int>(rank));
      spent_[rank].add(of.seconds, of.threads.front().phases());
    }
  }

  /// Checks results, except of an algorithm that depends on timing: no other executor knows those.
  void check() {
    if (scenario_.job.algorithm->varies == Varies::all) return;
    for (int rank = 0; rank < executor_.size(); ++rank) {
      executor_.read(rank, got_);
      check_result(scenario_.name, rank, got_, expected_[rank],
                   [&](std::size_t item) { return executor_.rank(rank).writes.last(item); });
    }
  }

  Json entry_of(int rank) const {
    const Spent& spent = spent_[rank];
    const std::size_t count = result_.samples_s.size();
    Json entry = {{"rank", rank},
                  {"host", host_name()},
                  {"gpu", executor_.rank(rank).endpoint.gpu()},
                  {"seconds", spent.seconds_json(count)}};
    if (options_.executor.phases) entry["phases"] = spent.phases_json(count);
    return entry;
  }

  const Scenario& scenario_;
  Gpus& gpus_;
  CudaExecutor& executor_;
  const ReplayOptions& options_;
  double deadline_;
  Table<int> hosts_;  ///< all ranks are on one
  Options job_options_;
  Table<std::vector<float>> initial_, expected_;  ///< of each rank
  std::vector<float> got_;
  CaseSamples result_;
  Table<Spent> spent_;  ///< of each rank
};

// Refuses scenarios that GPUs cannot replay, before anything runs.

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
    scenario.resolved.find("job")->fail(
        "{} of {} ranks on GPU {} ({}) need {} each with their scratch space, and {} are free in "
        "all: set job.bytes to at most {}, or put no more than {} there",
        count, gpu_of_rank.size(), gpu, info.name, to_text(Bytes{each}),
        to_text(Bytes{info.free_bytes}), to_text(Bytes{longest}), usable(info) / each);
  }
}

}  // namespace

CaseSamples replay(const Scenario& scenario, Gpus& gpus, CudaExecutor& executor,
                   const ReplayOptions& options) {
  return Repetitions(scenario, gpus, executor, options).run();
}

std::string paths_text(const CudaExecutor& executor) {
  std::set<Path> paths;
  for (int from = 0; from < executor.size(); ++from)
    for (int to = 0; to < executor.size(); ++to)
      if (from != to || executor.size() == 1) paths.insert(executor.path(from, to));
  const auto names = each_of(paths, [](Path path) { return path_names[path]; });
  return fmt::format("{}", fmt::join(names, ", "));
}

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
    job->fail(
        "a non-blocking collective of ours cannot be replayed: no library's progress engine runs "
        "its steps; {}",
        scenario.job.overlap ? "replay it without job.overlap"
                             : "choose an algorithm that has none inside");
  check_memory(scenario, gpus, gpu_of_ranks(scenario, gpus, options));
}

}  // namespace ringscope::cuda
