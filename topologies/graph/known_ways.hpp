// Searches that are kept: what Topology::route() asks for again and again when many ranks talk.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// The components around one end, level by level: those in level n are n links away, by ways that
/// leave its host but enter no other. Levels are found when first asked for.
class Surroundings {
 public:
  Surroundings(const Graph& graph, Vertex end);

  struct Arrival {
    std::uint32_t from = 0;  ///< a component of the level before
    int link = -1;
  };
  struct Level {
    std::vector<std::uint32_t> components;  ///< ascending
    std::vector<std::uint32_t> first;       ///< of each component: its first arrival; and the end
    std::vector<Arrival> arrivals;          ///< of a component: in the order of the search
    std::size_t links = 0;                  ///< leading away from the components

    /// Index of a component in `components`, or -1.
    int find(Vertex component) const;
  };
  const Level& level(std::size_t number);
  /// Sum over all levels found so far, in proportion to which memory is taken.
  std::size_t size() const { return size_; }

 private:
  void advance();
  bool may_enter(Vertex v) const;
  bool seen(Vertex v) const;

  const Graph* graph_;
  int host_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> frontier_;  ///< the last level in the order of the search
  std::size_t size_ = 0;
};

/// The surroundings of the ends that were asked for: between two hosts, a way is found by where the
/// surroundings of its ends meet. They answer exactly as a search of its own would. For one thread;
/// the graph outlives it and no longer changes.
class KnownWays {
 public:
  explicit KnownWays(const Graph& graph, std::span<const Host> hosts)
      : graph_(&graph), hosts_(hosts) {}

  /// As find_way() with Fabric::other. False where the surroundings do not tell, because a host
  /// lies next to what the other one's search looks at: then a search must.
  bool find(Vertex from, Vertex to, std::uint64_t flow, std::vector<int>& links);

 private:
  Surroundings& around(Vertex end);
  const std::vector<Vertex>& doors(int host);

  const Graph* graph_;
  std::span<const Host> hosts_;
  std::unordered_map<Vertex, Surroundings> known_;
  std::size_t kept_ = 0;                                ///< sum of the sizes of the surroundings
  std::unordered_map<int, std::vector<Vertex>> doors_;  ///< by host: neighbours of its components
};

}  // namespace ringscope
