// SPDX-License-Identifier: LGPL-2.1-or-later
// Are hosts near to each other that switches join, and do chosen ones keep together?
#include "topologies/networks/neighbourhoods.hpp"

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
TEST(Neighbourhoods, of_a_fat_tree_are_edges_and_pods_and_all) {
  const auto levels = neighbourhoods(topology_of("network: fat_tree\nk: 4"));
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(numbers(levels[0]).size(), 4U * 4 / 2);
  EXPECT_EQ(numbers(levels[1]).size(), 4U);
  EXPECT_EQ(numbers(levels[2]).size(), 1U);
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
