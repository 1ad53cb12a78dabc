// SPDX-License-Identifier: LGPL-2.1-or-later
// Racks of hosts, each rack with its switch, and the rack switches below one core switch.
#include <fmt/format.h>

#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

/// The cable of one uplink. `oversubscription: F` stands in the place of its bandwidth: the hosts
/// of a rack, whose cables carry `hosts`, together send F times what its uplinks together carry.
LinkPair read_uplink(Fields& fields, const LinkPair& link, const LinkPair& hosts, int uplinks) {
  constexpr double most = 1e6;
  Fields uplink(fields.value_or("uplink", "{}"), "uplink");
  const Value* factor = fields.optional("oversubscription");
  const bool bandwidth = uplink.has("bandwidth");
  const double parts = factor ? factor->number(1, most) * uplinks : 1;
  const auto share = [parts](Bandwidth of_hosts) {
    return Bandwidth{of_hosts.bytes_per_second / parts};
  };
  const LinkPair cable =
      read_link_or(uplink, {share(hosts.forward), share(hosts.backward), link.latency});
  uplink.finish();
  fields.resolve("uplink", uplink.resolved());
  if (factor && bandwidth)
    factor->fail("'oversubscription' and the uplink's 'bandwidth' exclude each other");
  if (!factor && !bandwidth)
    fields.map().fail("a two_level network needs 'oversubscription' or the uplink's 'bandwidth'");
  return cable;
}

/// Sum of the cables of `count` hosts from number `first` on.
LinkPair cables_of(const HostMaker& make_host, const LinkPair& link, std::ptrdiff_t first,
                   int count) {
  LinkPair sum{};
  for (int i = 0; i < count; ++i) {
    const LinkPair one = make_host.cables(host_name(first + i), link);
    sum.forward.bytes_per_second += one.forward.bytes_per_second;
    sum.backward.bytes_per_second += one.backward.bytes_per_second;
  }
  return sum;
}

bool carry_alike(const LinkPair& one, const LinkPair& other) {
  return one.forward == other.forward && one.backward == other.backward;
}

}  // namespace

void build_two_level(Fields& fields, const HostMaker& make_host, Topology& topology) {
  constexpr int most_uplinks = 1024;
  const Value &number = fields.required("racks"), &in_rack = fields.required("hosts_per_rack");
  const auto racks = number.whole(1, most_hosts);
  const auto per_rack = in_rack.whole(1, most_hosts);
  // The larger of the two is wrong: the other one may be a base's.
  make_host.check_room(racks > per_rack ? number : in_rack, std::int64_t{racks} * per_rack,
                       racks + 1);
  fields.expect("uplink");
  const LinkPair link = read_cable(fields, "link");
  const int uplinks = fields.value_or("uplinks", "1").whole(1, most_uplinks);
  LinkPair hosts = cables_of(make_host, link, 0, per_rack);
  LinkPair uplink = read_uplink(fields, link, hosts, uplinks);

  const Vertex core = add_switch(topology, "core");
  for (int rack = 0; rack < racks; ++rack) {
    const LinkPair rack_hosts = cables_of(make_host, link, std::ssize(topology.hosts()), per_rack);
    if (!carry_alike(rack_hosts, hosts)) uplink = read_uplink(fields, link, rack_hosts, uplinks);
    hosts = rack_hosts;
    const Vertex rack_switch = add_switch(topology, fmt::format("rack{}/switch", rack));
    for (int i = 0; i < uplinks; ++i) topology.connect(rack_switch, core, uplink);
    for (int i = 0; i < per_rack; ++i)
      add_host(make_host, host_name(std::ssize(topology.hosts())), rack_switch, link, topology);
  }
}

}  // namespace ringscope
