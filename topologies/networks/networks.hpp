// SPDX-License-Identifier: LGPL-2.1-or-later
// Network families: their interface, the list of them, and the parts that they share.
#pragma once

#include <span>
#include <string>

#include "topologies/graph/read_link.hpp"
#include "topologies/hosts/host_maker.hpp"

namespace ringscope {

/// A network family: networks/<name>.cpp, one line below, and its name in
/// network_families().
struct NetworkFamily {
  std::string name;
  std::string summary;
  /// Reads its own keys and joins hosts made by `make_host(name)` into `topology`.
  void (*build)(Fields& fields, const HostMaker& make_host, Topology& topology);
};

NetworkFamily describe_star();
NetworkFamily describe_two_level();
NetworkFamily describe_fat_tree();
NetworkFamily describe_torus();
NetworkFamily describe_fabric();
NetworkFamily describe_dragonfly();
NetworkFamily describe_rails();
std::span<const NetworkFamily> network_families();

inline constexpr int most_hosts = 1 << 20;

/// `key: {bandwidth: 10 Gbit/s, latency: 5 us}`, as read_link() reads it; forward is towards the
/// core of the network.
LinkPair read_cable(Fields& fields, std::string_view key);
Vertex add_switch(Topology& topology, std::string name);
/// A new host with a cable from each of its NICs to `to`; `cable` is what most hosts have.
void add_host(const HostMaker& make_host, const std::string& name, Vertex to, const LinkPair& cable,
              Topology& topology);
/// host0, host1, ...
std::string host_name(std::ptrdiff_t index);

}  // namespace ringscope
