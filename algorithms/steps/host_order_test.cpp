// SPDX-License-Identifier: LGPL-2.1-or-later
// Are ranks sorted by host, and do parallel rings visit every rank once, host by host, each leaving
// a host by another rank?
#include "algorithms/steps/host_order.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

namespace ringscope::host_order_test {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(RanksByHost, come_by_the_lowest_rank_of_each_host) {
  const std::vector<int> hosts = {7, 2, 7, 0, 2, 7};
  EXPECT_EQ(ranks_by_host(6, &hosts), (Groups{{0, 2, 5}, {1, 4}, {3}}));
}

TEST(RanksByHost, are_alone_where_no_hosts_are_known) {
  EXPECT_EQ(ranks_by_host(3, nullptr), (Groups{{0}, {1}, {2}}));
}

TEST(HostGroups, say_of_each_rank_where_it_is) {
  const std::vector<int> hosts = {7, 2, 7, 0, 2, 7};
  const HostGroups groups(6, &hosts);
  EXPECT_EQ(groups.host_of, (std::vector{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(*groups.leaders, (std::vector{0, 1, 3}));
  EXPECT_EQ(*groups.hosts[1], (std::vector{1, 4}));
}

TEST(HostGroups, are_found_out_once_for_all_ranks_and_anew_for_some) {
  const std::vector<int> hosts = {7, 2, 7, 0, 2, 7};
  const HostGroups ready(6, &hosts);
  const Options options = {.given = {.hosts = &hosts, .by_host = &ready}};
  EXPECT_EQ(host_groups(6, options).get(), &ready);
  EXPECT_EQ(host_groups(3, options)->host_of, (std::vector{0, 1, 0}));
}

TEST(RingOrder, single_ring_visits_hosts_in_order) {
  EXPECT_EQ(ring_order({{0, 2, 5}, {1, 4}, {3}}, 0, 1), (std::vector{0, 2, 5, 1, 4, 3}));
}

TEST(RingOrder, each_ring_leaves_a_host_by_a_different_rank) {
  const Groups hosts = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  std::set<int> last;
  for (int ring = 0; ring < 4; ++ring) last.insert(ring_order(hosts, ring, 4)[3]);
  EXPECT_EQ(last, (std::set{0, 1, 2, 3}));
  EXPECT_EQ(ring_order(hosts, 1, 4), (std::vector{1, 2, 3, 0, 5, 6, 7, 4}));
}

TEST(RingOrder, has_every_rank_once) {
  const Groups hosts = {{0, 2, 5}, {1, 4}, {3}};
  std::vector<int> all(6);
  std::iota(all.begin(), all.end(), 0);
  for (int rings = 1; rings <= 7; ++rings)
    for (int ring = 0; ring < rings; ++ring)
      EXPECT_THAT(ring_order(hosts, ring, rings), testing::UnorderedElementsAreArray(all));
}

}  // namespace
}  // namespace ringscope::host_order_test
