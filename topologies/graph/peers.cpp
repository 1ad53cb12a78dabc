// SPDX-License-Identifier: LGPL-2.1-or-later
// Access of GPUs to each other's memory, and the detour of data where there is none.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "topologies/graph/route_search.hpp"

namespace ringscope {

Vertex Topology::nearest_domain(Vertex vertex) const {
  if (graph()[vertex].kind == ComponentKind::numa_domain) return vertex;
  std::vector<Vertex> reached = {vertex};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto [next, id] : graph().edges(reached[i])) {
      if (graph()[next].host != graph()[vertex].host) continue;
      if (graph()[next].kind == ComponentKind::numa_domain) return next;
      if (graph()[next].kind != ComponentKind::pcie_switch) continue;
      if (std::ranges::find(reached, next) == reached.end()) reached.push_back(next);
    }
  }
  throw std::logic_error(fmt::format("no NUMA domain is near '{}'", graph()[vertex].name));
}

bool Topology::nvlinked(Vertex gpu_a, Vertex gpu_b) const {
  return gpu_a != gpu_b && !find_links(*graph_, gpu_a, gpu_b, 0, LinkClass::nvlink).empty();
}

bool Topology::peer_access(Vertex gpu_a, Vertex gpu_b) const {
  if (gpu_a == gpu_b) return true;
  if (graph()[gpu_a].host != graph()[gpu_b].host) return false;
  const Host& host = hosts_[graph()[gpu_a].host];
  if (host.peer_access == PeerAccess::none) return false;
  if (nvlinked(gpu_a, gpu_b)) return true;
  const auto index = [&host](Vertex gpu) {
    return std::ranges::find(host.gpus, gpu) - host.gpus.begin();
  };
  const auto socket = [this](Vertex gpu) {
    const Vertex domain = nearest_domain(gpu);
    const int number = graph()[domain].socket;
    return std::pair(number, number < 0 ? domain : Vertex{0});
  };
  switch (host.peer_access) {
    case PeerAccess::none:
      return false;
    case PeerAccess::same_switch:
      return !meets_domain(find_links(*graph_, gpu_a, gpu_b, 0, LinkClass::other));
    case PeerAccess::same_socket:
      return socket(gpu_a) == socket(gpu_b);
    case PeerAccess::all:
      return true;
    case PeerAccess::matrix:
      return host.peer_matrix.at(index(gpu_a)).at(index(gpu_b));
  }
  return false;
}

StagedRoute Topology::staged_route(Vertex from, Vertex to, std::uint64_t flow,
                                   RouteCache* known) const {
  const std::vector<Vertex> stops = this->stops(from, to);
  StagedRoute journey{.legs = {}, .staging = {stops.begin() + 1, stops.end() - 1}};
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    journey.legs.push_back(route(stops[i], stops[i + 1], flow, known));
    journey.latency += journey.legs.back().latency;
    if (i == journey.staging.size()) break;
    const int host = graph()[journey.staging[i]].host;
    journey.latency += hosts_[host].staging_latency;
  }
  return journey;
}

std::vector<Vertex> Topology::stops(Vertex from, Vertex to) const {
  std::vector<Vertex> stops = {from};
  const auto stage_near = [&](Vertex gpu) { stops.push_back(nearest_domain(gpu)); };
  const auto needs_staging = [this](Vertex end) {
    return is_gpu(end) && !hosts_[graph()[end].host].gpudirect;
  };
  if (graph()[from].host == graph()[to].host) {
    if (is_gpu(from) && is_gpu(to) && !peer_access(from, to)) stage_near(from);
  } else {
    if (needs_staging(from)) stage_near(from);
    if (needs_staging(to)) stage_near(to);
  }
  stops.push_back(to);
  return stops;
}

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
