#include "scenarios/question/job_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringscope {
namespace {

/// Location of a rank's buffers; of several domains, the rank's own.
Vertex home_of(const Topology& topology, const Location& where) {
  const Host& host = topology.hosts()[static_cast<std::size_t>(where.host)];
  return where.gpu >= 0 ? host.gpus[static_cast<std::size_t>(where.gpu)]
                        : host.numa_domains[static_cast<std::size_t>(where.numa)];
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
    const Journey journey = topology.journey(
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
  std::string names;
  for (const Vertex nic : nics) names += (names.empty() ? "" : ", ") + topology.graph()[nic].name;
  return names;
}

}  // namespace

std::vector<std::string> job_warnings(const Scenario& scenario) {
  const Topology& topology = scenario.cluster.topology;
  const auto& ranks = scenario.placement.ranks;
  const bool spread = std::any_of(ranks.begin(), ranks.end(), [&](const Location& where) {
    return where.host != ranks.front().host;
  });
  if (!spread || ranks.front().nics == NicChoice::all) return {};
  const Host& host = topology.hosts()[static_cast<std::size_t>(ranks.front().host)];
  const std::size_t count = host.nics.size();
  if (count < 2) return {};
  const Algorithm& algorithm = *scenario.job.algorithm;
  if (algorithm.one_channel && scenario.job.options.nccl == nullptr)
    return {fmt::format(
        "{} is simulated as one channel, which leaves a host by one NIC at a time; NCCL opens "
        "several and fills all {} NICs of {}, so that between hosts it may be up to {} times as "
        "fast. parallel_rings with 'options: {{rings: {}}}' comes nearer",
        algorithm.name, count, host.name, count, count)};
  if (!algorithm.ring) return {};
  const std::set<Vertex> used = nics_of_ring(scenario, ranks.front().host);
  if (used.size() >= count || used.empty()) return {};
  return {fmt::format(
      "the ring comes to {0} and leaves it by {1} of its {2} NICs ({3}), and the others are idle: "
      "'placement.nics: all' sends a share by each{4}",
      host.name, used.size(), count, names_of(topology, used),
      ranks.front().gpu >= 0
          ? fmt::format(", the allreduce parallel_rings goes round once for each of "
                        "'options: {{rings: {}}}'",
                        count)
          : "")};
}

}  // namespace ringscope
