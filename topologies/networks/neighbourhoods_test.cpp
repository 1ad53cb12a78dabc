// SPDX-License-Identifier: LGPL-2.1-or-later
// Are hosts near to each other that switches join, and do chosen ones keep together?
#include "topologies/networks/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "topologies/cluster.hpp"

namespace ringscope::neighbourhoods_test {
namespace {

Topology topology_of(const std::string& text) {
  return read_cluster(Value::from_text("test", text + "\nlink: {bandwidth: 1 GB/s, latency: 1 us}"
                                                      "\nhost: {type: simple}"))
      .topology;
}

std::set<int> numbers(const std::vector<int>& level) { return {level.begin(), level.end()}; }

// k^2/2 edge switches, k pods: Al-Fares et al., SIGCOMM 2008.
TEST(Neighbourhoods, fat_tree_has_edges_pods_and_the_whole) {
  const auto levels = neighbourhoods(topology_of("network: fat_tree\nk: 4"));
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(numbers(levels[0]).size(), 4U * 4 / 2);
  EXPECT_EQ(numbers(levels[1]).size(), 4U);
  EXPECT_EQ(numbers(levels[2]).size(), 1U);
}

// Six hosts on one leaf, of which three each are an NVLink domain: NICs of 900 GB/s to its switch.
const std::string domains = R"(
network: fabric
switches: [leaf, nvl0, nvl1]
hosts:
  - {name: a0, to: [{switch: nvl0, link: {bandwidth: 900 GB/s}}, leaf]}
  - {name: b0, to: [{switch: nvl1, link: {bandwidth: 900 GB/s}}, leaf]}
  - {name: a1, to: [{switch: nvl0, link: {bandwidth: 900 GB/s}}, leaf]}
  - {name: b1, to: [{switch: nvl1, link: {bandwidth: 900 GB/s}}, leaf]}
  - {name: a2, to: [{switch: nvl0, link: {bandwidth: 900 GB/s}}, leaf]}
  - {name: b2, to: [{switch: nvl1, link: {bandwidth: 900 GB/s}}, leaf]}
link: {bandwidth: 50 GB/s, latency: 1 us}
host:
  type: custom
  domains: [{cores: 4}]
  gpus: [{}]
  switches: 1
  nics: 2
  links:
    - {from: gpu0, to: nic0, bandwidth: 900 GB/s, latency: 300 ns}
    - {from: gpu0, to: numa0, bandwidth: 63 GB/s, latency: 150 ns}
    - {from: numa0, to: nic1, bandwidth: 63 GB/s, latency: 150 ns}
    - {from: numa0, to: pcie0, bandwidth: 63 GB/s, latency: 150 ns}
    - {from: pcie0, to: nic0, bandwidth: 63 GB/s, latency: 150 ns}
)";

TEST(Neighbourhoods, hosts_on_much_wider_cables_are_a_domain_below_the_leaf) {
  const Topology topology = read_cluster(Value::from_text("test", domains)).topology;
  const auto levels = neighbourhoods(topology);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0], (std::vector<int>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(numbers(levels[1]).size(), 1U);
  EXPECT_THAT(near_hosts(levels, std::vector<int>{1, 1, 0, 1, 1, 1}, 3),
              testing::ElementsAre(1, 3, 5));
  // Messages between GPUs of a domain go by its switch, others by the leaf.
  const auto hosts = topology.hosts();
  EXPECT_EQ(topology.route(hosts[0].gpus[0], hosts[2].gpus[0], 1).bandwidth.bytes_per_second, 9e11);
  EXPECT_EQ(topology.route(hosts[0].gpus[0], hosts[1].gpus[0], 1).bandwidth.bytes_per_second, 5e10);
}

TEST(Neighbourhoods, hosts_are_taken_from_as_few_as_can_be) {
  const auto levels = neighbourhoods(topology_of("network: fat_tree\nk: 4"));
  std::vector<int> room(16, 1);
  using testing::ElementsAre;
  EXPECT_THAT(near_hosts(levels, room, 2), ElementsAre(14, 15));
  room[14] = room[3] = 0;
  // Pod 3 has room for three and is the last that is enough; of its edges the full one comes first.
  EXPECT_THAT(near_hosts(levels, room, 3), ElementsAre(12, 13, 15));
  EXPECT_THAT(near_hosts(levels, room, 1), ElementsAre(15));
  EXPECT_EQ(near_hosts(levels, room, 99).size(), 14U);
}

TEST(Neighbourhoods, a_ring_crosses_where_no_switch_is_in_common) {
  const Topology topology = topology_of("network: fat_tree\nk: 4");
  const std::vector<int> in_order = {0, 0, 1, 1, 2, 2, 3, 3}, spread = {0, 2, 1, 3, 0, 2, 1, 3};
  EXPECT_EQ(crossings(topology, in_order), 2);
  EXPECT_EQ(crossings(topology, spread), 8);
}

}  // namespace
}  // namespace ringscope::neighbourhoods_test
