// What the machine is: a directed graph of components and links, and the routes through it.
//
// Invariants (checked by `check()`): every link has an opposite; every bandwidth is positive, every
// latency not negative; every two memory domains can reach each other; names are unique.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topologies/input.hpp"
#include "topologies/units.hpp"

namespace ringscope {

enum class ComponentKind { numa_domain, pcie_switch, gpu, nic, network_switch };

struct Component {
  ComponentKind kind{};
  std::string name;                           ///< "host2/numa0", "host2/nic0", "rack0/switch"
  int host = -1;                              ///< index into hosts(); -1 outside any host
  int cores = 0;                              ///< numa_domain
  Bandwidth memory = Bandwidth::unlimited();  ///< numa_domain: its memory controller
  Bytes capacity{};                           ///< numa_domain, gpu: memory size; 0 unknown
};

/// One direction of a cable, a bus or an inter-socket link.
struct Link {
  int id = -1;          ///< dense, 0..link_count()-1
  std::string name;     ///< "host2/nic0->rack0/switch"
  Bandwidth bandwidth;  ///< unlimited: never a bottleneck, no resource
  Seconds latency{};
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Component, Link>;
using Vertex = Graph::vertex_descriptor;

struct Host {
  std::string name;
  std::vector<Vertex> numa_domains, gpus, nics;  ///< in the order of their indices
};

/// A way from one component to another: link ids in order, and what they add up to.
struct Route {
  std::vector<int> links;
  Seconds latency{};
  Bandwidth bandwidth = Bandwidth::unlimited();  ///< the narrowest link's
};

class Topology {
 public:
  // Building: what the host types and network families call. A topology has at most 2^20 components
  // and 2^22 links; what goes beyond throws std::length_error.
  int add_host(std::string name);
  Vertex add_component(Component component);  ///< also entered in its host's list
  /// Both directions, each with this bandwidth and latency.
  void connect(Vertex a, Vertex b, Bandwidth bandwidth, Seconds latency);

  const Graph& graph() const { return *graph_; }
  std::span<const Host> hosts() const { return hosts_; }
  int link_count() const { return static_cast<int>(links_.size()); }
  const Link& link(int id) const;
  /// Whether the link leads to or from a network switch.
  bool is_cable(int id) const;

  /// The route with the fewest links. Hosts do not forward: it enters no host but those of its two
  /// ends. Among equal ones the choice is a fixed hash of the two ends and `flow`, so that flows
  /// spread and the same flow always takes the same way.
  /// Empty when from == to. Throws std::logic_error when there is none: check() first.
  Route route(Vertex from, Vertex to, std::uint64_t flow = 0) const;

  /// Throws InputError at `origin` naming the first violated invariant.
  void check(const Place& origin) const;

 private:
  // Edge descriptors point into the graph, so copies of a topology share it: building is over when
  // a topology is copied.
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<Host> hosts_;
  std::vector<Graph::edge_descriptor> links_;
};

/// Graphviz, for `ringscope show --dot`: one box per host, links with bandwidth and latency.
std::string to_dot(const Topology& topology);

}  // namespace ringscope
