// SPDX-License-Identifier: LGPL-2.1-or-later
// Warnings about memory and cores of hosts that the input of a training job takes, about what
// computations need of a GPU, and about NICs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scenarios/warnings/job_warnings.hpp"
#include "scenarios/workload/options.hpp"
#include "topologies/graph/topology.hpp"
#include "topologies/input/characters.hpp"

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
    const int cores = cores_of(topology, index);
    if (job->input.cores + ranks[index] <= cores) continue;
    return {fmt::format(
        "{} has {}, of which its input keeps {} busy and its {} one each: they share them, and "
        "take longer",
        host.name, plural(cores, "core"), job->input.cores, plural(ranks[index], "rank"))};
  }
  return {};
}

/// Computations beside kernels on a GPU without a number of multiprocessors.
std::vector<std::string> uncounted_sms(const Scenario& scenario) {
  const Topology& topology = scenario.cluster.topology;
  const auto uncounted = [&](const Location& where) {
    return where.gpu >= 0 && topology.graph()[home_of(topology, where)].sms == 0;
  };
  if (!scenario.job.needs || std::ranges::none_of(scenario.placement.ranks, uncounted)) return {};
  return {
      "blocks take no multiprocessors from computations ('job.needs'): 'cluster.host.gpu.sms' "
      "specifies how many a GPU has"};
}

/// The NICs of `host` by which a ring comes and goes.
std::set<Vertex> nics_of_ring(const Scenario& scenario, int host) {
  const Topology& topology = scenario.cluster.topology;
  const auto& ranks = scenario.placement.ranks;
  std::set<Vertex> nics;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t next = (i + 1) % ranks.size();
    if (ranks[i].host == ranks[next].host) continue;
    if (ranks[i].host != host && ranks[next].host != host) continue;
    const StagedRoute journey = topology.staged_route(
        home_of(topology, ranks[i]), home_of(topology, ranks[next]), i * ranks.size() + next);
    for (const Route& leg : journey.legs)
      for (const int id : leg.links)
        for (const Vertex end : {topology.source_of(id), topology.target_of(id)})
          if (topology.graph()[end].kind == ComponentKind::nic &&
              topology.graph()[end].host == host)
            nics.insert(end);
  }
  return nics;
}

std::string names_of(const Topology& topology, const std::set<Vertex>& nics) {
  const auto name = [&](Vertex nic) { return topology.graph()[nic].name; };
  return fmt::format("{}", fmt::join(each_of(nics, name), ", "));
}

/// Bytes per second of a host's NICs, each with its slot.
std::vector<double> speeds_of_nics(const Topology& topology, const Host& host) {
  return each_of(host.nics, [&](Vertex nic) {
    return std::min(widest_link(topology, nic, true).bytes_per_second,
                    widest_link(topology, nic, false).bytes_per_second);
  });
}

/// Advice where one NIC is faster than all with the same share of the data each; `used`: the NICs
/// of the job's ring, none where it uses all.
std::vector<std::string> unequal_nics(const Topology& topology, const Host& host,
                                      const std::set<Vertex>& used) {
  const std::vector<double> speeds = speeds_of_nics(topology, host);
  const auto fastest = std::ranges::max_element(speeds), slowest = std::ranges::min_element(speeds);
  const auto at = [&](auto speed) { return speed - speeds.begin(); };
  if (used == std::set{host.nics.begin()[at(fastest)]}) return {};
  const auto text = [&](auto speed) {
    return fmt::format("{} ({})", topology.graph()[host.nics.begin()[at(speed)]].name,
                       to_short_text(Bandwidth{*speed}));
  };
  const std::string does = used.empty()
                               ? "'placement.nics: all' sends the same share by each NIC, and " +
                                     text(slowest) + " sets the pace"
                               : fmt::format("the ring comes to {} and leaves it by {}", host.name,
                                             names_of(topology, used));
  const std::string name = nic_name(topology, host.nics.begin()[at(fastest)]);
  return {
      fmt::format("{}: {} alone is faster than all together, 'placement.nics: [{}]' takes it", does,
                  text(fastest),
                  name == fmt::format("nic{}", at(fastest)) ? std::to_string(at(fastest)) : name)};
}

bool one_is_faster_than_all(const Topology& topology, const Host& host) {
  const std::vector<double> speeds = speeds_of_nics(topology, host);
  const auto [least, most] = std::ranges::minmax(speeds);
  return most > static_cast<double>(speeds.size()) * least;
}

}  // namespace

std::vector<std::string> input_warnings(const Scenario& scenario) {
  return together({short_host_memory(scenario), crowded_input(scenario), uncounted_sms(scenario)});
}

std::vector<std::string> nic_warnings(const Scenario& scenario, bool replaced) {
  const Topology& topology = scenario.cluster.topology;
  const auto& ranks = scenario.placement.ranks;
  const bool spread = std::ranges::any_of(
      ranks, [&](const Location& where) { return where.host != ranks.front().host; });
  if (!spread || ranks.front().nics == NicChoice::named) return {};
  const Host& host = topology.hosts()[ranks.front().host];
  const std::size_t count = host.nics.size();
  if (count < 2) return {};
  const bool unequal = one_is_faster_than_all(topology, host);
  if (ranks.front().nics == NicChoice::all)
    return unequal ? unequal_nics(topology, host, {}) : std::vector<std::string>();
  const Algorithm& algorithm = *scenario.job.algorithm;
  if (algorithm.one_channel && scenario.job.options.given.nccl == nullptr) {
    if (replaced) return {};
    return {fmt::format(
        "{} is simulated as one channel, which leaves a host by one NIC at a time; NCCL opens "
        "several and fills all {} NICs of {}, so that between hosts it may be up to {}x as fast. "
        "parallel_rings with 'options: {{rings: {}}}' comes nearer",
        algorithm.name, count, host.name, count, count)};
  }
  if (!algorithm.ring) return {};
  const std::set<Vertex> used = nics_of_ring(scenario, ranks.front().host);
  if (used.size() >= count || used.empty()) return {};
  if (unequal) return unequal_nics(topology, host, used);
  return {
      fmt::format("the ring comes to {0} and leaves it by {1} of its {2} NICs ({3}), and the "
                  "others are idle: 'placement.nics: all' sends a share by each{4}",
                  host.name, used.size(), count, names_of(topology, used),
                  ranks.front().gpu >= 0 ? fmt::format(", the allreduce parallel_rings goes round "
                                                       "once for each of 'options: {{rings: {}}}'",
                                                       count)
                                         : "")};
}

}  // namespace ringscope
