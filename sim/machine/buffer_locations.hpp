// SPDX-License-Identifier: LGPL-2.1-or-later
// Places of the ranks' data, and the routes between them.
#pragma once

#include <vector>

#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"
#include "topologies/graph/route_cache.hpp"

namespace ringscope::sim {

class BufferLocations {
 public:
  /// `scenario` outlives this.
  explicit BufferLocations(const Scenario& scenario)
      : scenario_(&scenario), routes_(topology().graph(), topology().hosts()) {
    for (std::size_t rank = 0; rank < scenario.placement.ranks.size(); ++rank)
      buffer_locations_.push_back(found_for(static_cast<int>(rank)));
  }

  std::size_t ranks() const { return buffer_locations_.size(); }
  /// Location of a rank's buffers: its GPU, or one or several NUMA domains.
  const std::vector<Vertex>& of(int rank) const { return buffer_locations_[rank]; }
  /// The NUMA domain of the rank's core.
  Vertex domain_of(int rank) const {
    const Location& where = scenario_->placement.ranks[rank];
    return host_of(where).numa_domains[where.numa];
  }

  /// Way from one such place to another. Libraries stage some routes though they need not: through
  /// the memory near the GPU that sends.
  StagedRoute staged_route(Vertex source, Vertex target, std::uint64_t flow) const {
    if (!stages(source, target)) return topology().staged_route(source, target, flow, &routes_);
    const Graph& graph = topology().graph();
    const Vertex between = topology().nearest_domain(source);
    StagedRoute staged{.legs = {route(source, between, flow), route(between, target, flow)},
                       .staging = {between}};
    const Host& host = topology().hosts()[graph[source].host];
    staged.latency = staged.legs[0].latency + staged.legs[1].latency + host.staging_latency;
    return staged;
  }
  /// Ends of its legs.
  std::vector<Vertex> stops(Vertex source, Vertex target) const {
    if (!stages(source, target)) return topology().stops(source, target);
    return {source, topology().nearest_domain(source), target};
  }
  Route route(Vertex source, Vertex target, std::uint64_t flow = 0) const {
    return topology().route(source, target, flow, &routes_);
  }
  bool has_only_route(Vertex source, Vertex target) const {
    return topology().has_only_route(source, target, &routes_);
  }
  /// Cache for searches of others from these places.
  RouteCache& known() const { return routes_; }

 private:
  std::vector<Vertex> found_for(int rank) const {
    const Location& where = scenario_->placement.ranks[rank];
    const Host& host = host_of(where);
    if (where.gpu >= 0) return {host.gpus[where.gpu]};
    if (where.memory.kind == MemoryPolicy::Kind::interleave) return host.numa_domains;
    if (where.memory.kind == MemoryPolicy::Kind::bind)
      return {host.numa_domains[where.memory.domain]};
    return {domain_of(rank)};
  }
  const Topology& topology() const { return scenario_->cluster.topology; }
  const Host& host_of(const Location& where) const { return topology().hosts()[where.host]; }
  bool stages(Vertex source, Vertex target) const {
    const Graph& graph = topology().graph();
    return scenario_->library.gpu.always_staged && is_gpu(source) && is_gpu(target) &&
           graph[source].host == graph[target].host;
  }
  bool is_gpu(Vertex vertex) const { return topology().graph()[vertex].kind == ComponentKind::gpu; }

  const Scenario* scenario_;
  Table<std::vector<Vertex>> buffer_locations_;  ///< by rank
  mutable RouteCache routes_;                    ///< a cache: changes no answer
};

}  // namespace ringscope::sim
