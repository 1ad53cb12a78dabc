#include "topologies/graph/route_by.hpp"

#include <algorithm>

namespace ringscope {

Route route_by(const Topology& topology, std::span<const Vertex> stops, std::uint64_t flow,
               RouteCache* known) {
  Route all;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const Route part = topology.route(stops[i], stops[i + 1], flow, known);
    all.links.insert(all.links.end(), part.links.begin(), part.links.end());
    all.latency += part.latency;
    all.bandwidth = std::min(all.bandwidth, part.bandwidth);
  }
  return all;
}

}  // namespace ringscope
