// SPDX-License-Identifier: LGPL-2.1-or-later
// A directed graph of components and links. Boost's adjacency_list took 3.7 s to compile in each of
// the hundred units that read it.
#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/table.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

// Records whose equality others decide bind all their members in visit(), once: a new member does
// not compile until it is named there, as a place or as a property.

enum class ComponentKind { numa_domain, pcie_switch, gpu, nic, network_switch, nvswitch };

struct Component {
  ComponentKind kind{};
  std::string name;                           ///< "host2/numa0", "host2/nic0", "rack0/switch"
  int host = -1;                              ///< index into hosts(); -1 outside any host
  int cores = 0;                              ///< numa_domain
  Bandwidth memory = Bandwidth::unlimited();  ///< numa_domain, gpu: its memory controller
  Bytes capacity{};                           ///< numa_domain, gpu: memory size; 0 unknown
  int socket = -1;       ///< numa_domain: the socket of its host that holds it; -1: one of its own
  int copy_engines = 0;  ///< gpu: how many copies it makes at once; 0 no limit
  int sms = 0;           ///< gpu: its multiprocessors; 0 unknown
  Bandwidth copy_bandwidth = Bandwidth::unlimited();  ///< gpu: of each copy engine
  Bandwidth peer_bandwidth = Bandwidth::unlimited();  ///< gpu: what it writes to its peers by PCIe

  /// Calls fields(name, host, socket, properties...): its place, then what it is there.
  static auto visit(auto& self, auto&& fields) {
    auto& [kind, name, host, cores, memory, capacity, socket, copy_engines, sms, copy_bandwidth,
           peer_bandwidth] = self;
    return fields(name, host, socket, kind, cores, memory, capacity, copy_engines, sms,
                  copy_bandwidth, peer_bandwidth);
  }
};

/// One direction of a cable, a bus or an inter-socket link.
struct Link {
  int id = -1;  ///< dense, 0..link_count()-1; the opposite direction is `id ^ 1`
  /// "host2/nic0->rack0/switch"; of several between the same two "rack0/switch->core#0", "#1", ...
  std::string name;
  Bandwidth bandwidth;  ///< unlimited: never a bottleneck, no resource
  Seconds latency{};
  Bandwidth both = Bandwidth::unlimited();  ///< of this direction and its opposite together

  /// Calls fields(id, name, properties...), as Component::visit().
  static auto visit(auto& self, auto&& fields) {
    auto& [id, name, bandwidth, latency, both] = self;
    return fields(id, name, bandwidth, latency, both);
  }
};

/// Properties of a component, wherever it stands.
inline auto properties_of(const Component& component) {
  return Component::visit(component, [](const auto&, int, int, const auto&... values) {
    return std::tuple(values...);
  });
}

inline auto properties_of(const Link& link) {
  return Link::visit(link,
                     [](int, const auto&, const auto&... values) { return std::tuple(values...); });
}

/// Index of a component in its graph: dense, in the order of add().
using Vertex = std::size_t;
inline constexpr Vertex no_vertex = static_cast<Vertex>(-1);

/// A link as the component sees it that it leaves.
struct Edge {
  Vertex to{};
  int link = -1;  ///< Link::id
};

class Graph {
 public:
  std::size_t size() const { return components_.size(); }  ///< number of components
  std::size_t link_count() const { return links_.size(); }

  const Component& operator[](Vertex vertex) const { return components_[vertex]; }
  /// Links that leave a component, in the order of connect().
  std::span<const Edge> edges(Vertex vertex) const { return edges_[vertex]; }
  // Throw std::out_of_range for the id of no link:
  const Link& link(int id) const { return links_.at(id); }
  Link& link(int id) { return links_.at(id); }
  Vertex source(int id) const { return ends_.at(id).first; }
  Vertex target(int id) const { return ends_.at(id).second; }

  Vertex add(Component component) {
    components_.push_back(std::move(component));
    edges_.emplace_back();
    return components_.size() - 1;
  }

  /// Adds one direction; its id is the number of links so far.
  void connect(Vertex from, Vertex to, Link link) {
    link.id = static_cast<int>(links_.size());
    edges_[from].push_back({to, link.id});
    ends_.emplace_back(from, to);
    links_.push_back(std::move(link));
  }

 private:
  std::vector<Component> components_;
  std::vector<std::vector<Edge>> edges_;  ///< by component
  Table<Link> links_;
  Table<std::pair<Vertex, Vertex>> ends_;  ///< of each link: from, to
};

}  // namespace ringscope
