// The search behind Topology::route().
#pragma once

#include "topologies/topology.hpp"

namespace ringscope {

/// Which links a search may take: those between GPUs and NVSwitches, or all others.
enum class Fabric { nvlink, other };

/// The links of a way with the fewest of them, chosen among equal ones by the two ends and `flow`.
/// Empty when there is none; requires from != to.
std::vector<int> find_way(const Graph& graph, Vertex from, Vertex to, std::uint64_t flow,
                          Fabric fabric);

}  // namespace ringscope
