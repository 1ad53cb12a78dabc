// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a degraded link have less bandwidth, and no other?
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::degraded_test {
namespace {

const std::string star =
    "network: star\nhosts: 2\nlink: {bandwidth: 8 GB/s, latency: 1 us, both: 10 GB/s}\n"
    "host: {type: simple}\n";

Cluster cluster_of(const std::string& degraded) {
  return read_cluster(Value::from_text("test", star + "degraded: " + degraded));
}

TEST(ADegradedLink, HasItsShareOfTheBandwidthBothWays) {
  const Topology topology = cluster_of("[{link: host1/nic0->switch, share: 0.25}]").topology;
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    const double share = link.name.find("host1/nic0") != std::string::npos ? 0.25 : 1;
    if (!topology.is_cable(id)) continue;
    EXPECT_EQ(link.bandwidth.bytes_per_second, share * 8e9) << link.name;
    EXPECT_EQ(link.both.bytes_per_second, share * 10e9) << link.name;
  }
}

const std::string racks =
    "network: two_level\nracks: 2\nhosts_per_rack: 1\nuplinks: 3\n"
    "link: {bandwidth: 8 GB/s, latency: 1 us}\nuplink: {bandwidth: 8 GB/s}\n"
    "host: {type: numa, nics: [{}, {domain: 1}]}\n";

Topology racks_with(const std::string& degraded) {
  return read_cluster(Value::from_text("test", racks + "degraded: " + degraded)).topology;
}

std::map<std::string, double> bandwidths(const Topology& topology) {
  std::map<std::string, double> all;
  for (int id = 0; id < topology.link_count(); ++id)
    all[topology.link(id).name] = topology.link(id).bandwidth.bytes_per_second;
  return all;
}

TEST(ADegradedLink, MayBeOneOfSeveralOrAll) {
  auto one = bandwidths(racks_with("[{link: rack0/switch->core#1, share: 0.5}]"));
  EXPECT_EQ(one["rack0/switch->core#0"], 8e9);
  EXPECT_EQ(one["rack0/switch->core#1"], 4e9);
  EXPECT_EQ(one["core->rack0/switch#1"], 4e9);
  EXPECT_EQ(one["rack0/switch->core#2"], 8e9);
  auto all = bandwidths(racks_with("[{link: rack0/switch->core, share: 0.5}]"));
  for (const char* name : {"rack0/switch->core#0", "rack0/switch->core#2", "core->rack0/switch#1"})
    EXPECT_EQ(all[name], 4e9) << name;
  EXPECT_EQ(all["rack1/switch->core#0"], 8e9);
}

TEST(ADeadLink, IsGoneAndTrafficTakesAnother) {
  const Topology topology = racks_with("[{link: core->rack0/switch#1, share: 0}]");
  EXPECT_FALSE(bandwidths(topology).contains("rack0/switch->core#1"));
  EXPECT_EQ(topology.link_count(), racks_with("[]").link_count() - 2);
  const Vertex from = topology.hosts()[0].numa_domains[0], to = topology.hosts()[1].numa_domains[0];
  std::set<std::string> up;
  for (std::uint64_t flow = 0; flow < 64; ++flow)
    up.insert(topology.link(topology.route(from, to, flow).links[2]).name);
  EXPECT_EQ(up, (std::set<std::string>{"rack0/switch->core#0", "rack0/switch->core#2"}));
}

TEST(ADeadLink, OfANicLeavesTheHostItsOthers) {
  const Topology topology = racks_with("[{link: host0/nic0->rack0/switch, share: 0}]");
  ASSERT_EQ(topology.hosts()[0].nics.size(), 1u);
  EXPECT_EQ(topology.graph()[topology.hosts()[0].nics[0]].name, "host0/nic1");
  const Vertex from = topology.hosts()[0].numa_domains[0], to = topology.hosts()[1].numa_domains[0];
  EXPECT_EQ(topology.link(topology.route(from, to).links[2]).name, "host0/nic1->rack0/switch");
  EXPECT_EQ(topology.rails(from, to).size(), 1u);
  EXPECT_EQ(topology.rails(to, from).size(), 2u);
}

TEST(ADeadLink, IsRefusedWhereItIsTheOnlyWay) {
  EXPECT_EQ(complaint_of([] { cluster_of("[{link: host1/nic0->switch, share: 0}]"); }),
            "test:5:19: without 'host1/nic0->switch' no route leads from 'host0/numa0' to "
            "'host1/numa0': where a link is dead, traffic needs another way, such as a second NIC, "
            "or another uplink\n"
            "  degraded: [{link: host1/nic0->switch, share: 0}]\n"
            "                    ^");
  EXPECT_NE(complaint_of([] { racks_with("[{link: rack0/switch->core, share: 0}]"); }), "");
}

TEST(ADegradedLink, StaysInTheResolvedCluster) {
  const Cluster cluster = cluster_of("[{link: switch->host0/nic0, share: 0.5}]");
  const Cluster again = read_cluster(cluster.resolved);
  const auto slow = [](const Topology& topology) {
    int count = 0;
    for (int id = 0; id < topology.link_count(); ++id)
      count += topology.link(id).bandwidth.bytes_per_second == 4e9 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(slow(cluster.topology), 2);
  EXPECT_EQ(slow(again.topology), 2);
}

TEST(ADegradedLink, IsOneOfTheCluster) {
  EXPECT_NE(complaint_of([] {
              cluster_of("[{link: host1/nic0->swich, share: 0.5}]");
            }).find("did you mean 'host1/nic0->switch'?"),
            std::string::npos);
  EXPECT_NE(complaint_of([] {
              cluster_of("[{link: host1/nic0, share: 0.5}]");
            }).find("did you mean 'host1/nic0->switch'?"),
            std::string::npos);
  EXPECT_NE(complaint_of([] {
              cluster_of("[{link: host1/nic0->switch, share: 50%}]");
            }).find("; 50% is 0.5"),
            std::string::npos);
  EXPECT_NE(complaint_of([] { cluster_of("[{link: host1/nic0->switch, share: 2}]"); }), "");
  EXPECT_NE(complaint_of([] { cluster_of("half"); }), "");
}

}  // namespace
}  // namespace ringscope::degraded_test
