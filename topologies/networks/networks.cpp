// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/networks/networks.hpp"

#include <fmt/format.h>

namespace ringscope {

std::span<const NetworkFamily> network_families() {
  static const NetworkFamily list[] = {
      {"star", "all hosts on one switch", build_star},
      {"two_level", "racks below one core switch", build_two_level},
      {"fat_tree", "k-ary fat tree of three levels", build_fat_tree},
      {"torus", "one switch per host, wrapped in every dimension", build_torus},
      {"fabric", "named hosts, switches and links, as they are", build_fabric},
      {"dragonfly", "groups of routers, all groups linked to each other", build_dragonfly},
      {"rails", "NIC i of every host on leaf i of its pod", build_rails}};
  return list;
}

LinkPair read_cable(Fields& fields, std::string_view key) {
  Fields link(fields.required(key), std::string(key));
  const LinkPair cable = read_link(link);
  if (key == "link") link.optional("kind");  // read_cluster() takes it
  link.finish();
  fields.resolve(key, link.resolved());
  return cable;
}

LinkPair read_cable_or(Fields& fields, std::string_view key, const LinkPair& usual) {
  Fields link(fields.value_or(key, "{}"), std::string(key));
  const LinkPair cable = read_link_or(link, usual);
  link.finish();
  fields.resolve(key, link.resolved());
  return cable;
}

Vertex add_switch(Topology& topology, std::string name) {
  return topology.add_component({.kind = ComponentKind::network_switch, .name = std::move(name)});
}

void add_host(const HostMaker& make_host, const std::string& name, Vertex to, const LinkPair& cable,
              Topology& topology) {
  const LinkPair own = make_host.cable(name, cable);
  for (const Vertex nic : make_host(name).nics) topology.connect(nic, to, own);
}

std::string host_name(std::ptrdiff_t index) { return fmt::format("host{}", index); }

}  // namespace ringscope
