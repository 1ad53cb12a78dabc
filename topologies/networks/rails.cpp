// SPDX-License-Identifier: LGPL-2.1-or-later
// A rail-optimised network (NVIDIA DGX SuperPOD Reference Architecture): in a pod, NIC i of every
// host is plugged into leaf i, so that GPUs of the same number meet at one switch; spines join the
// leaves of all pods.
#include <fmt/format.h>

#include "topologies/networks/networks.hpp"

namespace ringscope {

void build_rails(Fields& fields, const HostMaker& make_host, Topology& topology) {
  constexpr int most_rails = 64, most_spines = 1024, most_uplinks = 1024;
  const Value &number = fields.value_or("pods", "1"), &per_pod = fields.required("hosts_per_pod");
  const auto pods = number.whole(1, most_hosts);
  const auto hosts = per_pod.whole(1, most_hosts);
  const int rails = fields.required("rails").whole(1, most_rails);
  const Value& count = fields.required("spines");
  const int spines = count.whole(pods > 1 ? 1 : 0, most_spines);
  const int uplinks = fields.value_or("uplinks", "1").whole(1, most_uplinks);
  // As in two_level: the other one may be a base's.
  make_host.check_room(pods > hosts ? number : per_pod, std::int64_t{pods} * hosts,
                       std::int64_t{pods} * rails + spines);
  const LinkPair link = read_cable(fields, "link");
  const LinkPair uplink = read_cable_or(fields, "uplink", link);

  std::vector<Vertex> tops;
  for (int i = 0; i < spines; ++i) tops.push_back(add_switch(topology, fmt::format("spine{}", i)));
  for (int pod = 0; pod < pods; ++pod) {
    std::vector<Vertex> leaves;
    for (int rail = 0; rail < rails; ++rail) {
      leaves.push_back(add_switch(topology, fmt::format("pod{}/rail{}", pod, rail)));
      for (const Vertex spine : tops)
        for (int i = 0; i < uplinks; ++i) topology.connect(leaves.back(), spine, uplink);
    }
    for (int i = 0; i < hosts; ++i) {
      const std::string name = host_name(std::ssize(topology.hosts()));
      const LinkPair own = make_host.cable(name, link);
      std::size_t next = 0;
      for (const Vertex nic : make_host(name).nics)
        topology.connect(nic, leaves[next++ % leaves.size()], own);
    }
  }
}

}  // namespace ringscope
