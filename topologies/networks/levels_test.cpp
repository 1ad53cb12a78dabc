// SPDX-License-Identifier: LGPL-2.1-or-later
// Do collisions of the hash that chooses among equal routes come as often as chance has it?
#include "topologies/networks/levels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

/// Two racks of so many hosts, joined by so many uplinks each; the hash has this seed.
Topology racks(int hosts, int uplinks, int seed) {
  return read_cluster(
             Value::from_text("x.yaml", fmt::format("network: two_level\nracks: 2\n"
                                                    "hosts_per_rack: {}\nuplinks: {}\n"
                                                    "oversubscription: 1\nhash_seed: {}\n"
                                                    "link: {{bandwidth: 1 GB/s, latency: 1 us}}\n"
                                                    "host: {{type: simple}}\n",
                                                    hosts, uplinks, seed)))
      .topology;
}

// Two flows out of a rack with u uplinks take the same one with probability 1/u; the two
// that come back likewise; and so do those on the two uplinks of the other rack.
TEST(Collisions, collision_frequency_of_two_flows_is_the_expected_one) {
  constexpr int seeds = 1000, uplinks = 4;
  int free = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const RouteLoad load = load_of_shift(racks(2, uplinks, seed));
    EXPECT_EQ(load.flows, 4U);
    EXPECT_DOUBLE_EQ(load.mean, 4.0 * 2 / (2 * uplinks * 2));  // flows, hops; racks, directions
    if (load.most == 1) ++free;
  }
  // Each of the two directions has two flows, and each of these two hops: four choices alike.
  const double expected = std::pow(1 - 1.0 / uplinks, 4);
  const double deviation = std::sqrt(expected * (1 - expected) / seeds);
  EXPECT_NEAR(static_cast<double>(free) / seeds, expected, 4 * deviation);
}

TEST(Collisions, are_the_same_for_the_same_seed_and_others_for_another) {
  int unlike = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const RouteLoad one = load_of_pairs(racks(8, 4, seed)),
                    again = load_of_pairs(racks(8, 4, seed));
    EXPECT_EQ(one.most, again.most);
    EXPECT_EQ(one.flows, 8U * 8 * 2);
    if (one.most != load_of_pairs(racks(8, 4, seed + 100)).most) ++unlike;
  }
  EXPECT_GT(unlike, 0);
}

TEST(Collisions, leave_one_uplink_with_all_flows_between_the_racks) {
  const RouteLoad load = load_of_pairs(racks(4, 1, 1));
  EXPECT_EQ(load.most, 4 * 4);
  EXPECT_DOUBLE_EQ(load.mean, 4 * 4);
}

}  // namespace
}  // namespace ringscope
