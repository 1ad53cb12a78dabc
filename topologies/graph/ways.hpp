// The search behind Topology::route().
#pragma once

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Links that a search may take: those between GPUs and NVSwitches, or all others.
enum class Fabric { nvlink, other };

/// The links of a way with the fewest of them, chosen among equal ones by the two ends and `flow`.
/// Empty when there is none; requires from != to.
std::vector<int> find_way(const Graph& graph, Vertex from, Vertex to, std::uint64_t flow,
                          Fabric fabric);

/// True if no other way has as few links, so that nothing is left to choose. Also true where there
/// is none.
bool is_only_way(const Graph& graph, Vertex from, Vertex to, Fabric fabric);

/// The random numbers that choose: one way's first state, and a step.
std::uint64_t seed_of(Vertex from, Vertex to, std::uint64_t flow);
std::uint64_t next_random(std::uint64_t& state);

}  // namespace ringscope
