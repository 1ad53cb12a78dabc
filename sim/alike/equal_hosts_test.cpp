// SPDX-License-Identifier: LGPL-2.1-or-later
// Are hosts unequal as soon as anything of them differs?
#include "sim/alike/equal_hosts.hpp"

#include <gtest/gtest.h>

#include "topologies/graph/properties_for_test.hpp"

namespace ringscope::equal_hosts_test {
namespace {

std::string unequal(const Topology& topology) {
  Placement placement;
  placement.ranks = {Location{.host = 0}, Location{.host = 1}};
  return sim::unequal_hosts(topology, placement, 1, false);
}

TEST(EqualHosts, differ_where_any_property_of_a_component_does) {
  EXPECT_EQ(unequal(two_hosts(pcie_switch(), pcie_switch())), "");
  int properties = 0;
  for (Component other = pcie_switch(); change_property(other, properties); ++properties) {
    EXPECT_EQ(unequal(two_hosts(pcie_switch(), other)), "host 'host1' is not made as 'host0'")
        << "property " << properties;
    other = pcie_switch();
  }
  EXPECT_GT(properties, 0);
  Component elsewhere = pcie_switch();
  elsewhere.socket = 1;
  EXPECT_NE(unequal(two_hosts(pcie_switch(), elsewhere)), "");
}

TEST(EqualHosts, differ_where_any_rule_of_theirs_does) {
  const auto with = [](auto change) {
    Topology topology = two_hosts(pcie_switch(), pcie_switch());
    change(topology.host(1));
    return unequal(topology);
  };
  EXPECT_NE(with([](Host& host) { host.iommu = true; }), "");
  EXPECT_NE(with([](Host& host) { host.gpudirect = false; }), "");
  EXPECT_NE(with([](Host& host) { host.staging_latency = Seconds(1); }), "");
  EXPECT_NE(with([](Host& host) { host.peer_access = PeerAccess::all; }), "");
}

}  // namespace
}  // namespace ringscope::equal_hosts_test
