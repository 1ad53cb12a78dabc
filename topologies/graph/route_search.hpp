// SPDX-License-Identifier: LGPL-2.1-or-later
// The search behind Topology::route(), from both ends at once.
//
// Invariants: level n of BfsLevels holds exactly the components n links away from the end, with
// every link by which a fewest-links route comes to them. Those of two ends grow level by level
// until they touch; then every fewest-links route passes exactly one component that is in the
// newest level of both. On trees and fat trees that looks at few components, whatever their number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Links that a search may take: those between GPUs and NVSwitches, or all others.
enum class LinkClass { nvlink, other };

/// The links of a route with the fewest of them, chosen among equal ones by the two ends and
/// `flow`. Empty when there is none; requires from != to.
std::vector<int> find_links(const Graph& graph, Vertex from, Vertex to, std::uint64_t flow,
                            LinkClass allowed);

/// True if no other route has as few links, so that nothing is left to choose. Also true where
/// there is none.
bool is_only_route(const Graph& graph, Vertex from, Vertex to, LinkClass allowed);

/// Components that a search from one end may enter. A component of a third host, a third GPU, or a
/// dead end is on no route; what lies outside is on none inside a host.
struct Bounds {
  static constexpr int none = -1;  ///< no host

  std::array<int, 2> hosts;  ///< of the two ends, or of one end and `none`
  Vertex other_end;          ///< may be entered whatever it is; no_vertex for none
  LinkClass allowed = LinkClass::other;

  bool allow(const Graph& graph, Vertex vertex) const;
};

/// The components around one end, level by level: those in level n are n links away. Levels are
/// found when first asked for.
class BfsLevels {
 public:
  BfsLevels(const Graph& graph, Vertex end, const Bounds& bounds);

  struct Arrival {
    std::uint32_t from = 0;  ///< a component of the level before
    int link = -1;
  };
  struct Level {
    std::vector<std::uint32_t> components;  ///< ascending
    Table<std::uint32_t> first;             ///< of each component: its first arrival; and the end
    std::vector<Arrival> arrivals;          ///< of a component: in the order of the search
    std::size_t links = 0;                  ///< leading away from the components

    /// Index of a component in `components`, or -1.
    int find(Vertex component) const;
    std::span<const Arrival> arrivals_at(Vertex component) const;  ///< requires that it is here
  };
  const Level& level(std::size_t number);
  /// Sum over all levels found so far, in proportion to which memory is taken.
  std::size_t size() const { return size_; }

 private:
  void advance();
  bool seen(Vertex v) const;

  const Graph* graph_;
  Bounds bounds_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> frontier_;  ///< the last level in the order of the search
  std::size_t size_ = 0;
};

/// The components at which the levels around two ends touch.
class Meeting {
 public:
  Meeting(BfsLevels& from, BfsLevels& to) : sides_{&from, &to} {}

  bool is_found() const { return !middles_.empty(); }
  /// The side, 0 or 1, that has the fewest links to look at.
  int moving() const;
  const BfsLevels::Level& newest(int side) const;
  /// Takes the next level of a side. False where nothing is left.
  bool advance(int side);

  // Where it is found:
  std::vector<int> links(std::uint64_t random_state) const;  ///< of the route that this chooses
  bool is_only_route() const;

 private:
  std::vector<int> links_back(int side, Vertex v, std::uint64_t& random_state) const;
  bool has_only_route_back(int side, Vertex v) const;

  Array<BfsLevels*, 2> sides_;
  Array<std::size_t, 2> reached_{};     ///< number of each side's newest level
  std::vector<std::uint32_t> middles_;  ///< ascending
};

// Searches kept for Topology::route(), which asks for the same ones when many ranks talk.

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
