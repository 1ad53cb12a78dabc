// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/nearest_nics.hpp"

#include <algorithm>

namespace ringscope {

std::string nic_name(const Topology& topology, Vertex nic) {
  const std::string& name = topology.graph()[nic].name;
  return name.substr(name.rfind('/') + 1);
}

std::vector<Vertex> nearest_nics(const Topology& topology, Vertex component) {
  const Graph& graph = topology.graph();
  const auto& plugged = topology.hosts()[graph[component].host].nics;
  std::vector<Vertex> reached = {component}, frontier = reached, nics;
  while (nics.empty() && !frontier.empty()) {
    std::vector<Vertex> next_frontier;
    for (const Vertex here : frontier)
      for (const auto [next, id] : graph.edges(here)) {
        const ComponentKind kind = graph[next].kind;
        if (graph[next].host != graph[component].host || kind == ComponentKind::gpu ||
            kind == ComponentKind::nvswitch || std::ranges::count(reached, next) > 0)
          continue;
        reached.push_back(next);
        if (kind != ComponentKind::nic) next_frontier.push_back(next);
        if (std::ranges::count(plugged, next) > 0) nics.push_back(next);
      }
    frontier = std::move(next_frontier);
  }
  std::ranges::sort(nics);
  return nics;
}

std::optional<Vertex> nic_in_turn(const Topology& topology, Vertex gpu) {
  const std::vector<Vertex> nics = nearest_nics(topology, gpu);
  if (nics.size() < 2) return {};
  std::size_t turn = 0;
  for (const Vertex other : topology.hosts()[topology.graph()[gpu].host].gpus) {
    if (other == gpu) break;
    if (nearest_nics(topology, other) == nics) ++turn;
  }
  return nics[turn % nics.size()];
}

}  // namespace ringscope
