// SPDX-License-Identifier: LGPL-2.1-or-later
// The dragonfly (Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology,
// ISCA 2008): groups of routers, of which every two in a group have a cable, and every two groups
// have some. With g groups of a routers, each with p hosts and h global ports, that are g a p
// hosts, g a (a-1)/2 local cables, and c = a h/(g-1), rounded down, global ones between every two
// groups.
#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

constexpr int most_ports = 1024;

struct Shape {
  int groups = 0, routers = 0, hosts = 0, ports = 0;
  int between = 0;  ///< cables between every two groups
};

Shape read_shape(Fields& fields, const HostMaker& make_host) {
  Shape shape;
  shape.routers = fields.required("routers").whole(1, most_ports);
  shape.hosts = fields.required("hosts_per_router").whole(1, most_ports);
  shape.ports = fields.required("global_ports").whole(1, most_ports);
  const int most =
      std::min(shape.routers * shape.ports + 1, most_hosts / (shape.routers * shape.hosts));
  const Value& groups = fields.value_or("groups", std::to_string(most));
  shape.groups = groups.whole(2, std::max(most, 2));
  shape.between = shape.routers * shape.ports / (shape.groups - 1);
  if (shape.routers * shape.hosts > most_hosts / 2)
    groups.fail("a dragonfly has at most {} hosts", most_hosts);
  const std::int64_t routers = shape.groups * shape.routers;
  make_host.check_room(groups, routers * shape.hosts, routers);
  return shape;
}

/// The router of a group whose port leads to the group `offset` further on, by the k-th cable.
int router_of(const Shape& shape, int offset, int k) {
  return ((offset - 1) * shape.between + k) / shape.ports;
}

}  // namespace

void build_dragonfly(Fields& fields, const HostMaker& make_host, Topology& topology) {
  const Shape shape = read_shape(fields, make_host);
  const LinkPair link = read_cable(fields, "link");
  const LinkPair local = read_cable_or(fields, "local", link);
  const LinkPair global = read_cable_or(fields, "global", link);
  Table<Table<Vertex>> groups;
  for (int group = 0; group < shape.groups; ++group) {
    Table<Vertex>& routers = groups.emplace_back();
    for (int i = 0; i < shape.routers; ++i) {
      routers.push_back(add_switch(topology, fmt::format("group{}/router{}", group, i)));
      topology.add_waypoint({routers.back(), group});
      for (int j = 0; j < i; ++j) topology.connect(routers[j], routers.back(), local);
      for (int j = 0; j < shape.hosts; ++j)
        add_host(make_host, host_name(std::ssize(topology.hosts())), routers.back(), link,
                 topology);
    }
  }
  for (int from = 0; from < shape.groups; ++from)
    for (int to = from + 1; to < shape.groups; ++to)
      for (int k = 0; k < shape.between; ++k)
        topology.connect(groups[from][router_of(shape, to - from, k)],
                         groups[to][router_of(shape, shape.groups - (to - from), k)], global);
}

}  // namespace ringscope
