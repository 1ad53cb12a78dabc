// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/route_cache.hpp"

#include <algorithm>

#include "topologies/graph/splitmix.hpp"

namespace ringscope {

BfsLevels& RouteCache::around(Vertex end) {
  const Bounds bounds{{(*graph_)[end].host, Bounds::none}, no_vertex};
  return known_.try_emplace(end, *graph_, end, bounds).first->second;
}

const std::vector<Vertex>& RouteCache::doors(int host) {
  const auto [entry, is_new] = doors_.try_emplace(host);
  if (!is_new) return entry->second;
  const Host& inside = hosts_[host];
  for (const auto* list : {&inside.numa_domains, &inside.gpus, &inside.nics, &inside.pcie_switches})
    for (const Vertex v : *list)
      for (const auto [next, id] : graph_->edges(v))
        if ((*graph_)[next].host != host) entry->second.push_back(next);
  return entry->second;
}

std::optional<Meeting> RouteCache::meet(Vertex from, Vertex to) {
  constexpr std::size_t most_kept = 1 << 22;  // arrivals: some 64 MB
  const int hosts[] = {(*graph_)[from].host, (*graph_)[to].host};
  if (hosts[0] == hosts[1] || hosts[0] < 0 || hosts[1] < 0) return {};
  if (kept_ > most_kept) {
    known_.clear();
    kept_ = 0;
  }
  BfsLevels &around_from = around(from), &around_to = around(to);
  const std::size_t before = around_from.size() + around_to.size();
  Meeting meeting(around_from, around_to);
  while (!meeting.is_found()) {
    const int side = meeting.moving();
    const BfsLevels::Level& here = meeting.newest(side);
    const bool enters =
        std::ranges::any_of(doors(hosts[1 - side]), [&](Vertex v) { return here.find(v) >= 0; });
    if (enters || !meeting.advance(side)) return {};
  }
  kept_ += around_from.size() + around_to.size() - before;
  return meeting;
}

std::optional<std::vector<int>> RouteCache::find(Vertex from, Vertex to, std::uint64_t flow) {
  const auto meeting = meet(from, to);
  if (!meeting) return {};
  return meeting->links(random_of({from, to, flow}));
}

std::optional<bool> RouteCache::is_only_route(Vertex from, Vertex to) {
  const auto meeting = meet(from, to);
  if (!meeting) return {};
  return meeting->is_only_route();
}

}  // namespace ringscope
