// Routes by way of given components.
#pragma once

#include <span>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Routes from each of these components to the next, as one; its bandwidth is that of the narrowest
/// of them. Requires two components at least.
Route route_by(const Topology& topology, std::span<const Vertex> stops, std::uint64_t flow = 0,
               RouteCache* known = nullptr);

}  // namespace ringscope
