// SPDX-License-Identifier: LGPL-2.1-or-later
// The machine: a directed graph of components and links, and the routes through it.
//
// Invariants (checked by `check()`): every link has an opposite; every bandwidth is positive, every
// latency not negative; every two memory domains can reach each other; whatever is inside a host
// can reach its memory without leaving the host; names are unique.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/graph.hpp"
#include "topologies/input/input.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

/// The two directions between two components.
struct LinkPair {
  Bandwidth forward, backward;
  Seconds latency{};                        ///< of each
  Bandwidth both = Bandwidth::unlimited();  ///< of the two together
};

/// GPUs of a host that may read and write each other's memory over PCIe. NVLink always grants it,
/// but for `none`.
enum class PeerAccess { none, same_switch, same_socket, all, matrix };

struct Host {
  std::string name;
  Table<Vertex> numa_domains, gpus, nics, pcie_switches;  ///< in the order of their indices;
                                                          ///< NICs: that have a cable

  // NVIDIA's guide to GPUDirect RDMA: the two devices must share one PCIe root complex.
  PeerAccess peer_access = PeerAccess::same_socket;
  Table<Table<bool>> peer_matrix;  ///< PeerAccess::matrix: from GPU, to GPU
  bool iommu = false;              ///< peer traffic goes up to the root complex and comes back
  bool gpudirect = true;           ///< NICs read and write GPU memory
  bool joins_nics = false;         ///< NCCL takes the NICs nearest to one GPU as one
  Seconds staging_latency{};       ///< of a copy through host memory, beyond that of its links

  /// Calls fields(name, parts, peer access and its matrix, properties...), as Component::visit();
  /// `parts` ties the lists.
  static auto visit(auto& self, auto&& fields) {
    auto& [name, numa_domains, gpus, nics, pcie_switches, peer_access, peer_matrix, iommu,
           gpudirect, joins_nics, staging_latency] = self;
    return fields(name, std::tie(numa_domains, gpus, nics, pcie_switches), peer_access, peer_matrix,
                  iommu, gpudirect, joins_nics, staging_latency);
  }
};

/// Properties of a host, but for its rule of peer access.
inline auto properties_of(const Host& host) {
  return Host::visit(host, [](const auto&, const auto&, PeerAccess, const auto&,
                              const auto&... values) { return std::tuple(values...); });
}

/// The straight path from one component to another: link ids in order, and what they add up to.
struct Route {
  std::vector<int> links;
  Seconds latency{};
  Bandwidth bandwidth = Bandwidth::unlimited();  ///< the narrowest part's
  bool peer = false;  ///< from GPU to GPU over PCIe: the first one's peer_bandwidth limits it too
};

/// Path of data from one component to another where the host's rules may forbid the straight route:
/// leg after leg, through the memory of the domain between each two.
struct StagedRoute {
  std::vector<Route> legs;      ///< at least one
  std::vector<Vertex> staging;  ///< NUMA domains: where leg i ends and leg i+1 begins
  Seconds latency{};            ///< of the legs and of the staging
};

/// Rule by which switches choose the route of a message from one host to another.
/// By the hash of the flow, once (ECMP); the least loaded of the shortest routes; a detour by a
/// router of another group, each in turn (Valiant's); the better of a shortest route and such a
/// detour by load and length (UGAL). Of dragonflies: Kim, Dally, Scott, Abts: Technology-Driven,
/// Highly-Scalable Dragonfly Topology, ISCA 2008, section 4.
enum class Routing { hash, adaptive, valiant, ugal };

inline const std::array<std::string, 4> routing_names = {"hash", "adaptive", "valiant", "ugal"};

constexpr bool takes_detours(Routing routing) {
  return routing == Routing::valiant || routing == Routing::ugal;
}

/// A switch of one of the groups that a network is made of.
struct Waypoint {
  Vertex where{};
  int group = 0;
};

class RouteCache;  // route_search.hpp

class Topology {
 public:
  // Building: what the host types and network families call. A topology has at most 2^20 components
  // and 2^22 links; what goes beyond throws std::length_error.
  static constexpr int most_components = 1 << 20;
  int add_host(std::string name);
  Host& host(int index) { return hosts_.at(index); }
  Vertex add_component(Component component);  ///< also entered in its host's list
  /// Both directions, each with this bandwidth and latency.
  void connect(Vertex a, Vertex b, Bandwidth bandwidth, Seconds latency);
  void connect(Vertex a, Vertex b, const LinkPair& pair);  ///< forward is from a to b
  void degrade(int link, double share);  ///< leaves this share of bandwidth, both directions
  /// Takes cables away, both directions, as if they had never been plugged in; the ids of those
  /// left close up. A NIC whose last cable goes is no longer one of its host's `nics`.
  void remove(const std::set<int>& dead);
  /// Seed of the hash that chooses among equal routes.
  void set_hash_seed(std::uint64_t seed) { hash_seed_ = seed; }
  /// Rule for messages between hosts; route() itself always answers by the hash.
  void set_routing(Routing routing) { routing_ = routing; }
  Routing routing() const { return routing_; }
  /// Switches by which a message between other groups may take a detour; none where the network's
  /// family has no such routes.
  void add_waypoint(Waypoint waypoint) { waypoints_.push_back(waypoint); }
  std::span<const Waypoint> waypoints() const { return waypoints_; }

  const Graph& graph() const { return *graph_; }
  const Table<Host>& hosts() const { return hosts_; }
  int link_count() const { return static_cast<int>(graph_->link_count()); }
  const Link& link(int id) const { return graph_->link(id); }
  Vertex source_of(int id) const { return graph_->source(id); }
  Vertex target_of(int id) const { return graph_->target(id); }
  /// True if the link leads to or from a network switch.
  bool is_cable(int id) const;

  /// The route with the fewest links. Hosts and GPUs do not forward: it enters no host but those of
  /// its two ends, and no third GPU; inside one host it stays there. Two GPUs with NVLinks between
  /// them, or NVSwitches, go over these. With an IOMMU, what else a GPU exchanges with a device of
  /// its host goes through a NUMA domain. Among equal ones the choice is a fixed hash of the two
  /// ends, `flow` and the seed, so that flows spread and the same flow always takes the same way.
  /// Empty when from == to. Throws std::logic_error when there is none: check() first. Whoever asks
  /// for many keeps what the searches find in `known`; the answers are the same.
  Route route(Vertex from, Vertex to, std::uint64_t flow = 0, RouteCache* known = nullptr) const;
  /// True if there is nothing to choose: another flow takes the same links, and so do, each on its
  /// own, other components that are connected alike.
  bool has_only_route(Vertex from, Vertex to, RouteCache* known = nullptr) const;
  /// One route for each NIC of the first host, to share the data among them: NIC i sends to NIC
  /// i mod n of the other host's n, by way of these components. Inside a host, or without NICs:
  /// only route().
  std::vector<Route> rails(Vertex from, Vertex to, std::uint64_t flow = 0,
                           std::span<const Vertex> by = {}) const;
  /// True if has_only_route() of all parts of each.
  bool has_only_rails(Vertex from, Vertex to) const;

  /// The NUMA domain with the fewest PCIe links to a component of a host; itself if it is one.
  Vertex nearest_domain(Vertex vertex) const;
  /// True if GPUs have NVLinks to each other, or to NVSwitches that lead to each other.
  bool nvlinked(Vertex gpu_a, Vertex gpu_b) const;
  /// True if the first GPU may write the memory of the second; a GPU always may its own.
  bool peer_access(Vertex gpu_a, Vertex gpu_b) const;
  /// route() in one leg where it may be used as it stands. Two GPUs of a host without peer access
  /// meet in the domain nearest to the first; between hosts, a GPU of a host without GPUDirect
  /// copies to (or from) the domain nearest to it.
  StagedRoute staged_route(Vertex from, Vertex to, std::uint64_t flow = 0,
                           RouteCache* known = nullptr) const;
  /// Ends of its legs: the two components, and between them those where data are staged.
  std::vector<Vertex> stops(Vertex from, Vertex to) const;

  /// Throws InputError at `origin` naming the first violated invariant.
  void check(const Place& origin) const;
  /// Message of check() where no route leads from one part to another; empty where all is joined.
  std::string gap() const;

 private:
  /// Suffix that tells a new link from those already between the two: "#1", or nothing.
  std::string number_beside(Vertex a, Vertex b);
  bool is_gpu(Vertex vertex) const { return graph()[vertex].kind == ComponentKind::gpu; }
  bool meets_domain(std::span<const int> links) const;
  /// Ends of these links of a host and between them the domain by which an IOMMU leads instead;
  /// empty where it does not.
  std::vector<Vertex> over_root_complex(std::span<const int> links) const;
  std::vector<std::vector<Vertex>> rail_stops(Vertex from, Vertex to) const;
  Route summed(std::vector<int> links) const;

  // Shared by copies of a topology: building is over when a topology is copied.
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Table<Host> hosts_;
  std::uint64_t hash_seed_ = 0;  ///< 0: `flow` as it is
  Routing routing_ = Routing::hash;
  std::vector<Waypoint> waypoints_;
};

/// Cores of all NUMA domains of the host.
int cores_of(const Topology& topology, int host);

/// Routes from each of these components to the next, as one; its bandwidth is that of the narrowest
/// of them. Requires two components at least.
Route route_by(const Topology& topology, std::span<const Vertex> stops, std::uint64_t flow = 0,
               RouteCache* known = nullptr);

/// Location of the buffers of a rank at `where`: its GPU, or its own of several NUMA domains.
Vertex home_of(const Topology& topology, const auto& where) {
  const Host& host = topology.hosts()[where.host];
  return where.gpu >= 0 ? host.gpus[where.gpu] : host.numa_domains[where.numa];
}

// Warnings: settings that are allowed and known to go wrong.

/// "host0, host1, host2 and 5 more"
std::string listed(const std::vector<std::string>& names);

/// Warnings of all kinds, in this order.
std::vector<std::string> together(std::initializer_list<std::vector<std::string>> kinds);

/// One sentence for each, naming the hosts; nothing when all is well.
std::vector<std::string> warnings(const Topology& topology);

/// The part of it about peer access with an IOMMU, which hangs.
std::vector<std::string> hanging_peers(const Topology& topology);

/// Bandwidth of the widest link from a NIC to its host (`inside`), or to the network.
Bandwidth widest_link(const Topology& topology, Vertex nic, bool inside);

// NICs that a GPU uses, where several are equally near; names of NICs.

/// Name of a NIC on its host: "nic1", or that of its interface.
std::string nic_name(const Topology& topology, Vertex nic);

/// NICs of the component's host with the fewest links to it, in the order of their indices.
std::vector<Vertex> nearest_nics(const Topology& topology, Vertex component);

/// GPUs with the same nearest NICs take them in turn, as NCCL has it (src/graph/topo.cc,
/// ncclTopoGetLocalNet). Nothing where only one is nearest, or none is there.
std::optional<Vertex> nic_in_turn(const Topology& topology, Vertex gpu);

// The keys that every link has in a file.

/// `bandwidth` and `latency`, both required; `send_bandwidth` and `receive_bandwidth` where one
/// direction differs; `both`, for the two directions together. Forward is sending: away from the
/// device or the host.
LinkPair read_link(Fields& fields);
/// The same; without the first two unlimited and at once.
LinkPair read_link_or_none(Fields& fields);
/// The same; without them as `by_default` is.
LinkPair read_link_or(Fields& fields, const LinkPair& by_default);

/// The pair with forward and backward exchanged.
LinkPair reversed(LinkPair pair);

// Links that carry less than they should, or nothing: a cable that has lost lanes, a port that fell
// back, one that is dead.

/// Reads `degraded: [{link: host2/nic0->switch, share: 0.5}, ...]` of a cluster: both directions of
/// the link keep this share of their bandwidth. `rack0/switch->core` names all cables between the
/// two, `rack0/switch->core#2` one of them. With `share: 0` they are not there; the topology must
/// hold together without them.
void read_degraded(const Value& list, Topology& topology);

}  // namespace ringscope
