// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/places.hpp"

#include <algorithm>

namespace ringscope {

int domain_near(const Topology& topology, const Host& host, int gpu) {
  const Vertex domain = topology.nearest_domain(host.gpus[static_cast<std::size_t>(gpu)]);
  return static_cast<int>(std::ranges::find(host.numa_domains, domain) - host.numa_domains.begin());
}

std::vector<Location> cores_in_order(const Topology& topology, int host, MapBy map_by) {
  std::vector<Location> cores;
  const auto& domains = topology.hosts()[static_cast<std::size_t>(host)].numa_domains;
  for (std::size_t numa = 0; numa < domains.size(); ++numa) {
    for (int core = 0; core < topology.graph()[domains[numa]].cores; ++core)
      cores.push_back({.host = host, .numa = static_cast<int>(numa), .core = core});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(cores, {}, &Location::core);
  return cores;
}

std::vector<Location> gpus_in_order(const Topology& topology, int host_index, MapBy map_by) {
  const Host& host = topology.hosts()[static_cast<std::size_t>(host_index)];
  std::vector<Location> places;
  std::vector<int> taken(host.numa_domains.size());
  for (int gpu = 0; gpu < static_cast<int>(host.gpus.size()); ++gpu) {
    const int numa = domain_near(topology, host, gpu);
    const auto index = static_cast<std::size_t>(numa);
    places.push_back({.host = host_index, .numa = numa, .core = taken[index]++, .gpu = gpu});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(places, {}, &Location::core);
  for (Location& place : places) {
    const Vertex domain = host.numa_domains[static_cast<std::size_t>(place.numa)];
    place.core %= std::max(1, topology.graph()[domain].cores);
  }
  return places;
}

void avoid(Location& rank, const std::set<Core>& taken, const Topology& topology) {
  const auto is_free = [&](const Location& place) {
    return !taken.contains({place.host, place.numa, place.core});
  };
  if (rank.binding != Binding::core || is_free(rank)) return;
  std::vector<Location> places = cores_in_order(topology, rank.host, MapBy::slot);
  std::stable_partition(places.begin(), places.end(),
                        [&](const Location& place) { return place.numa == rank.numa; });
  const auto free = std::ranges::find_if(places, is_free);
  if (free == places.end()) return;
  rank.numa = free->numa;
  rank.core = free->core;
}

Taken::Taken(std::span<const Location> others) {
  for (const Location& one : others) {
    if (one.binding == Binding::core) cores.insert({one.host, one.numa, one.core});
    if (one.gpu >= 0) gpus.insert({one.host, one.gpu});
  }
}

bool Taken::has(const Location& place) const {
  return place.gpu >= 0 ? gpus.contains({place.host, place.gpu})
                        : cores.contains({place.host, place.numa, place.core});
}

}  // namespace ringscope
