// What the network families share.
#pragma once

#include "topologies/cluster.hpp"
#include "topologies/host_maker.hpp"
#include "topologies/read_link.hpp"

namespace ringscope {

inline constexpr int most_hosts = 1 << 20;

/// `key: {bandwidth: 10 Gbit/s, latency: 5 us}`, as read_link() reads it; forward is towards the
/// core of the network.
LinkPair read_cable(Fields& fields, std::string_view key);
Vertex add_switch(Topology& topology, std::string name);
/// A new host with a cable from each of its NICs to `to`; `cable` is what most hosts have.
void add_host(const HostMaker& make_host, const std::string& name, Vertex to, const LinkPair& cable,
              Topology& topology);
/// host0, host1, ...
std::string host_name(std::size_t index);

}  // namespace ringscope
