// SPDX-License-Identifier: LGPL-2.1-or-later
// Network families: their interface, the list of them, and the parts that they share.
#pragma once

#include <span>
#include <string>

#include "topologies/graph/topology.hpp"
#include "topologies/hosts/hosts.hpp"

namespace ringscope {

/// Reads the keys of a network family and joins hosts made by `make_host(name)` into `topology`.
using BuildNetwork = void(Fields& fields, const HostMaker& make_host, Topology& topology);

/// A network family: networks/<name>.cpp, its name below, and its row in network_families().
struct NetworkFamily {
  std::string name;
  std::string summary;
  BuildNetwork* build;
};

BuildNetwork build_star, build_two_level, build_fat_tree, build_torus, build_fabric,
    build_dragonfly, build_rails;
std::span<const NetworkFamily> network_families();

inline constexpr int most_hosts = 1 << 20;

/// `key: {bandwidth: 10 Gbit/s, latency: 5 us}`, as read_link() reads it; forward is towards the
/// core of the network.
LinkPair read_cable(Fields& fields, std::string_view key);
/// The same, where it differs from `usual`.
LinkPair read_cable_or(Fields& fields, std::string_view key, const LinkPair& usual);
Vertex add_switch(Topology& topology, std::string name);
/// A new host with a cable from each of its NICs to `to`; `cable` is what most hosts have.
void add_host(const HostMaker& make_host, const std::string& name, Vertex to, const LinkPair& cable,
              Topology& topology);
/// host0, host1, ...
std::string host_name(std::ptrdiff_t index);

}  // namespace ringscope
