// SPDX-License-Identifier: LGPL-2.1-or-later
// The links, memories and copy engines of a cluster as resources, and what a byte on its way uses
// of them.
//
// Where buffers are spread over several NUMA domains, or messages over several NICs, a byte uses a
// share of each. Weights are whole numbers, so all capacities here are counted in parts of a byte:
// `grain()` parts each.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/ledger.hpp"
#include "sim/machine/orbits.hpp"
#include "topologies/graph/route_search.hpp"

namespace ringscope::sim {

// Places of the ranks' data, and the routes between them.

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

// Links, memories and copy engines as resources.

using Uses = std::vector<Use>;

/// A job of the scenario says what its computations need of their GPUs.
bool states_needs(const Scenario& scenario);

/// One more use of a resource; several uses of one are added up. Nothing for resource -1.
void add_use(Uses& uses, int resource, int weight);
/// The same for each of `others`, `times` times over; nothing for 0 times.
void add_uses(Uses& uses, const Uses& others, int times = 1);

/// One of the ways between two hosts: the hash's, or as it draws otherwise.
struct RouteChoice {
  std::uint64_t draw = 0;
  std::vector<Vertex> detour;  ///< switches by which it goes
};

class Fabric {
 public:
  /// Adds the resources of `scenario` to `ledger`; both outlive the fabric. Of hosts, where some
  /// are named, theirs alone: what a route uses elsewhere is then left out.
  /// Of links between switches, then, only those in `links`.
  Fabric(const Scenario& scenario, Ledger& ledger, std::set<int> only_hosts = {},
         std::shared_ptr<const CellLinks> links = {});

  int grain() const { return grain_; }
  /// Location of a rank's buffers: its GPU, or one or several NUMA domains.
  const std::vector<Vertex>& buffer_locations(int rank) const { return buffer_locations_.of(rank); }
  /// The NUMA domain of the rank's core.
  Vertex domain_of(int rank) const { return buffer_locations_.domain_of(rank); }

  /// `times` accesses to each byte in the memory of a domain or GPU, of one in `shares` bytes.
  void add_memory(Uses& uses, Vertex vertex, int times, int shares = 1) const;
  /// Makes the accesses to memories `factor` times as many.
  void scale_memories(Uses& uses, double factor) const;
  /// The links of a route, and what limits one that GPUs take.
  void add_route(Uses& uses, const Route& route, int times, int shares = 1) const;
  /// The way of every byte from the buffers of one rank to those of another, and its latency.
  struct RouteUses {
    Uses uses;
    std::vector<SecondUse> again;  ///< of `uses`, where the sender's host stands for the receiver's
    double latency = 0;            ///< s: of the links and of staging
    bool staged = false;           ///< inside a host: through the memory of a NUMA domain
    int stripes = 1;               ///< ways of which `uses` are, each for an equal part of a byte
  };
  /// Components by which a route leaves its host and comes into the other, in order; none: as
  /// routes go.
  using Waypoints = std::vector<Vertex>;
  /// Without `engines` no copy engine has a part in it.
  RouteUses route_uses(int from, int to, bool engines = true, const Waypoints& by = {},
                       const RouteChoice& choice = {}) const;
  /// Between two GPUs of a host whose switch adds up `together` messages for one of them, or copies
  /// one of one. Uses are those of a byte divided by `together`.
  RouteUses switch_route_uses(int from, int to, const Block& block) const;

 private:
  void find_grain();
  void add_links();
  void add_memories();
  void add_engines(Vertex gpu);
  void add_leg(Uses& uses, const Route& leg, Vertex from, Vertex to, int shares,
               bool engines) const;
  void add_rails(Uses& uses, std::span<const Route> rails, int shares) const;
  void add_engine(Uses& uses, Vertex gpu, bool out, int shares) const;
  void lead_by(const Waypoints& by, StagedRoute& route, Vertex source, Vertex target,
               std::uint64_t flow) const;
  const Location& location(int rank) const { return scenario_->placement.ranks[rank]; }
  const Topology& topology() const { return scenario_->cluster.topology; }
  const Component& component(Vertex vertex) const { return topology().graph()[vertex]; }
  bool has_resources(int host) const { return only_hosts_.empty() || only_hosts_.contains(host); }
  bool is_gpu(Vertex vertex) const { return component(vertex).kind == ComponentKind::gpu; }
  /// The resource that stands for another; itself where none does.
  int shared(int id) const {
    const bool any = cell_links_ != nullptr && cell_links_->first.has(id);
    return any && cell_links_->first[id] >= 0 ? cell_links_->first[id] : id;
  }
  int add(const std::string& name, ResourceKind kind, Bandwidth bandwidth, double share = 1);

  /// Copy engines of a GPU; -1 where nothing limits it.
  struct Engines {
    int in = -1, out = -1, peer = -1;
  };
  const Scenario* scenario_;
  Ledger* ledger_;
  const std::set<int> only_hosts_;  ///< empty: all
  const std::shared_ptr<const CellLinks> cell_links_;
  int grain_ = 1;
  const BufferLocations buffer_locations_;
  Table<int> link_resources_;               ///< by link id; -1 for an unlimited link
  Table<int> both_resources_;               ///< by link id, of both directions together
  std::map<Vertex, int> memory_resources_;  ///< of NUMA domains and GPUs whose memory is limited
  std::map<Vertex, Engines> engines_;
};

}  // namespace ringscope::sim
