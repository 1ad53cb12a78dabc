// SPDX-License-Identifier: LGPL-2.1-or-later
// The k-ary fat tree of three levels (Al-Fares, Loukissas, Vahdat: A scalable, commodity data
// center network architecture, SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
// (k/2)^2 core switches, k^3/4 hosts. All cables are alike.
#include <fmt/format.h>

#include "base/table.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {

void build_fat_tree(Fields& fields, const HostMaker& make_host, Topology& topology) {
  constexpr int largest_k = 128;
  const Value& ports = fields.required("k");
  const int k = ports.whole(2, largest_k);
  if (k % 2 != 0) ports.fail("expected an even number of ports, got \"{}\"", k);
  const int half = k / 2, most = k * half * half;
  const Value& some = fields.value_or("hosts", std::to_string(most));
  const int hosts = some.whole(1, most);
  make_host.check_room(hosts < most ? some : ports, hosts, k * k + half * half);
  const LinkPair cable = read_cable(fields, "link");

  Table<Vertex> cores;
  for (int i = 0; i < half * half; ++i)
    cores.push_back(add_switch(topology, fmt::format("core{}", i)));
  for (int pod = 0; pod < k; ++pod) {
    std::vector<Vertex> aggregations;
    for (int i = 0; i < half; ++i) {
      aggregations.push_back(add_switch(topology, fmt::format("pod{}/aggregation{}", pod, i)));
      for (int j = 0; j < half; ++j)
        topology.connect(aggregations.back(), cores[i * half + j], cable);
    }
    for (int i = 0; i < half; ++i) {
      const Vertex edge = add_switch(topology, fmt::format("pod{}/edge{}", pod, i));
      for (const Vertex aggregation : aggregations) topology.connect(edge, aggregation, cable);
      for (int j = 0; j < half && static_cast<int>(topology.hosts().size()) < hosts; ++j)
        add_host(make_host, host_name(std::ssize(topology.hosts())), edge, cable, topology);
    }
  }
}

}  // namespace ringscope
