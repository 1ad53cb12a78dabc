// SPDX-License-Identifier: LGPL-2.1-or-later
// Warnings about memory and cores of hosts that the input of a training job takes.
#include <fmt/format.h>

#include <map>

#include "scenarios/warnings/job_warnings.hpp"
#include "scenarios/workload/training.hpp"
#include "topologies/input/plural.hpp"

namespace ringscope {
namespace {

/// Devices of a training job on each host.
std::map<int, int> devices_on_hosts(const Scenario& scenario) {
  const Job& job = scenario.job;
  const auto& ranks = scenario.placement.ranks;
  const int devices = devices_of(*job.algorithm, job.options, static_cast<int>(ranks.size()));
  std::map<int, int> counts;
  for (int rank = 0; rank < devices; ++rank) ++counts[ranks[rank].host];
  return counts;
}

/// Mapped files and buffers of a host's devices that are larger than its memory.
std::vector<std::string> short_host_memory(const Scenario& scenario) {
  const Training* job = scenario.job.training.get();
  if (job == nullptr || host_memory(*job) == 0) return {};
  const Topology& topology = scenario.cluster.topology;
  const double each = host_memory(*job);
  for (const auto& [index, devices] : devices_on_hosts(scenario)) {
    const Host& host = topology.hosts()[index];
    double has = 0;
    for (const Vertex domain : host.numa_domains)
      has += static_cast<double>(topology.graph()[domain].capacity.count);
    if (has == 0 && job->input.mapped + job->input.pinned > 0)
      return {
          "'mapped' and 'pinned' change nothing: 'cluster.host.memory' specifies a host's memory"};
    if (has == 0 || devices * each <= has) continue;
    return {fmt::format(
        "{} has {:.4g} GB of memory, and its input needs {:.4g} GB: {} x (mapped files {:.4g} + "
        "pinned buffers {:.4g} + {} batches {:.4g}). It swaps, which is not simulated; {} fit",
        host.name, has / 1e9, devices * each / 1e9, plural(devices, "device"),
        static_cast<double>(job->input.mapped) / 1e9, static_cast<double>(job->input.pinned) / 1e9,
        job->input.prefetch,
        (each - static_cast<double>(job->input.mapped + job->input.pinned)) / 1e9,
        plural(static_cast<std::uint64_t>(has / each), "device"))};
  }
  return {};
}

/// An input that keeps cores busy which ranks of its host need.
std::vector<std::string> crowded_input(const Scenario& scenario) {
  const Training* job = scenario.job.training.get();
  if (job == nullptr || job->input.cores == 0) return {};
  std::map<int, int> ranks;
  for (const Location& where : scenario.placement.ranks) ++ranks[where.host];
  const Topology& topology = scenario.cluster.topology;
  for (const auto& [index, devices] : devices_on_hosts(scenario)) {
    const Host& host = topology.hosts()[index];
    int cores = 0;
    for (const Vertex domain : host.numa_domains) cores += topology.graph()[domain].cores;
    if (job->input.cores + ranks[index] <= cores) continue;
    return {fmt::format(
        "{} has {}, of which its input keeps {} busy and its {} one each: they "
        "share them, and take longer",
        host.name, plural(cores, "core"), job->input.cores, plural(ranks[index], "rank"))};
  }
  return {};
}

}  // namespace

std::vector<std::string> input_warnings(const Scenario& scenario) {
  std::vector<std::string> found = short_host_memory(scenario);
  const std::vector<std::string> crowded = crowded_input(scenario);
  found.insert(found.end(), crowded.begin(), crowded.end());
  return found;
}

}  // namespace ringscope
