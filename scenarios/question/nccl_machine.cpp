#include "scenarios/question/nccl_machine.hpp"

#include <algorithm>
#include <map>

namespace ringscope {
namespace {

/// Share of a link's 25 GB/s that NCCL counts. Source: NCCL 2.30.7, src/graph/topo.h.
constexpr double counted = 0.8;
constexpr double giga = 1e9;

/// Rings of `each` that a pair of neighbours carries, at least one.
int rings_in(Bandwidth pair, Bandwidth each, double share) {
  const double fits = pair.bytes_per_second * share / each.bytes_per_second;
  return std::clamp(static_cast<int>(fits + 1e-9), 1, 16);
}

Bandwidth slowest(const Topology& topology, Vertex from, Vertex to) {
  Bandwidth least = Bandwidth::unlimited();
  for (const int id : topology.route(from, to).links)
    least = std::min(least, topology.link(id).bandwidth);
  return least;
}

Vertex gpu_of(const Topology& topology, const Location& where) {
  return topology.hosts()[static_cast<std::size_t>(where.host)]
      .gpus[static_cast<std::size_t>(where.gpu)];
}

// Each pair of GPUs that is joined by links of its own carries as many rings as the others; behind
// a switch a GPU's one link carries all.
int rings_inside(const Scenario& scenario, const std::vector<int>& ranks, Bandwidth each,
                 bool nvlink) {
  if (ranks.size() < 2) return 1;
  const Topology& topology = scenario.cluster.topology;
  const auto place = [&](int rank) {
    return gpu_of(topology, scenario.placement.ranks[static_cast<std::size_t>(rank)]);
  };
  Bandwidth least = Bandwidth::unlimited();
  bool direct = true;
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    const Route route = topology.route(place(ranks[i]), place(ranks[i + 1]));
    direct = direct && route.links.size() == 1;
    least = std::min(least, slowest(topology, place(ranks[i]), place(ranks[i + 1])));
  }
  if (least.is_unlimited()) return 1;
  const int in_one = rings_in(least, each, nvlink ? counted : 1);
  return direct ? std::min(16, in_one * static_cast<int>(ranks.size() - 1)) : in_one;
}

}  // namespace

std::shared_ptr<const nccl::Machine> nccl_machine(const Scenario& scenario) {
  const auto& blocks = scenario.library.blocks;
  std::map<int, std::vector<int>> by_host;
  for (int rank = 0; const Location& where : scenario.placement.ranks) {
    if (where.gpu < 0) return nullptr;
    by_host[where.host].push_back(rank++);
  }
  if (!blocks || by_host.empty()) return nullptr;
  auto machine = std::make_shared<nccl::Machine>();
  machine->generation = blocks->generation;
  machine->version = blocks->version;
  machine->nvlink = blocks->nvlink;
  machine->inside = {rings_inside(scenario, by_host.begin()->second, blocks->ring, blocks->nvlink),
                     blocks->ring.bytes_per_second / giga};
  const Topology& topology = scenario.cluster.topology;
  const Host& host = topology.hosts()[static_cast<std::size_t>(by_host.begin()->first)];
  const int nics =
      std::max(1, static_cast<int>(std::min(host.nics.size(), by_host.begin()->second.size())));
  machine->between = {nics, blocks->ring_between_hosts.bytes_per_second / giga};
  return machine;
}

}  // namespace ringscope
