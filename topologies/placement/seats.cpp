#include "topologies/placement/seats.hpp"

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
  std::vector<Location> seats;
  std::vector<int> taken(host.numa_domains.size());
  for (int gpu = 0; gpu < static_cast<int>(host.gpus.size()); ++gpu) {
    const int numa = domain_near(topology, host, gpu);
    const auto index = static_cast<std::size_t>(numa);
    seats.push_back({.host = host_index, .numa = numa, .core = taken[index]++, .gpu = gpu});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(seats, {}, &Location::core);
  for (Location& seat : seats) {
    const Vertex domain = host.numa_domains[static_cast<std::size_t>(seat.numa)];
    seat.core %= std::max(1, topology.graph()[domain].cores);
  }
  return seats;
}

void avoid(Location& rank, const std::set<Core>& taken, const Topology& topology) {
  const auto is_free = [&](const Location& seat) {
    return !taken.contains({seat.host, seat.numa, seat.core});
  };
  if (rank.binding != Binding::core || is_free(rank)) return;
  std::vector<Location> seats = cores_in_order(topology, rank.host, MapBy::slot);
  std::stable_partition(seats.begin(), seats.end(),
                        [&](const Location& seat) { return seat.numa == rank.numa; });
  const auto free = std::ranges::find_if(seats, is_free);
  if (free == seats.end()) return;
  rank.numa = free->numa;
  rank.core = free->core;
}

Taken::Taken(std::span<const Location> others) {
  for (const Location& one : others) {
    if (one.binding == Binding::core) cores.insert({one.host, one.numa, one.core});
    if (one.gpu >= 0) gpus.insert({one.host, one.gpu});
  }
}

bool Taken::has(const Location& seat) const {
  return seat.gpu >= 0 ? gpus.contains({seat.host, seat.gpu})
                       : cores.contains({seat.host, seat.numa, seat.core});
}

}  // namespace ringscope
