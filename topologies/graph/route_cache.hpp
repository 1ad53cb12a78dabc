// SPDX-License-Identifier: LGPL-2.1-or-later
// Searches kept for Topology::route(), which asks for the same ones when many ranks talk.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/view.hpp"
#include "topologies/graph/route_search.hpp"

namespace ringscope {

/// Levels around the ends that were asked for, outside of all other hosts: between two hosts, a
/// route is found by where those of its ends meet. They answer exactly as a search of its own
/// would. For one thread; the graph outlives it and no longer changes.
class RouteCache {
 public:
  explicit RouteCache(const Graph& graph, View<const Host> hosts) : graph_(&graph), hosts_(hosts) {}

  /// As find_links() with LinkClass::other. Nothing where the levels do not tell, because a
  /// host lies next to what the other one's search looks at: then a search must.
  std::optional<std::vector<int>> find(Vertex from, Vertex to, std::uint64_t flow);
  /// As is_only_route() with LinkClass::other; nothing where find() has none.
  std::optional<bool> is_only_route(Vertex from, Vertex to);

 private:
  std::optional<Meeting> meet(Vertex from, Vertex to);
  BfsLevels& around(Vertex end);
  const std::vector<Vertex>& doors(int host);

  const Graph* graph_;
  View<const Host> hosts_;
  std::unordered_map<Vertex, BfsLevels> known_;
  std::size_t kept_ = 0;                                ///< sum of the sizes of the levels
  std::unordered_map<int, std::vector<Vertex>> doors_;  ///< by host: neighbours of its components
};

}  // namespace ringscope
