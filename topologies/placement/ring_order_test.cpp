// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the slowest pair of a ring as fast as can be? Against all orders.
#include "topologies/placement/ring_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace ringscope {
namespace {

PairCosts random_costs(std::mt19937& random, std::size_t places) {
  PairCosts costs(places, std::vector<double>(places));
  for (auto& row : costs)
    for (double& cost : row) cost = static_cast<double>(random() % 10);
  return costs;
}

double bottleneck(const PairCosts& costs, const std::vector<int>& order) {
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    largest = std::max(largest, costs[static_cast<std::size_t>(order[i])]
                                     [static_cast<std::size_t>(order[(i + 1) % order.size()])]);
  return largest;
}

double least_of_all_orders(const PairCosts& costs) {
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  double least = bottleneck(costs, order);
  while (std::ranges::next_permutation(order.begin() + 1, order.end()).found)
    least = std::min(least, bottleneck(costs, order));
  return least;
}

TEST(RingOrder, HasTheLeastBottleneckOfAllOrders) {
  std::mt19937 random(1);
  for (std::size_t places = 2; places <= 7; ++places) {
    for (int trial = 0; trial < 20; ++trial) {
      const PairCosts costs = random_costs(random, places);
      const RingOrder best = best_ring_order(costs);
      EXPECT_EQ(best.bottleneck, least_of_all_orders(costs));
      EXPECT_EQ(bottleneck(costs, best.order), best.bottleneck);
      std::vector<int> sorted = best.order;
      std::ranges::sort(sorted);
      for (std::size_t i = 0; i < places; ++i) EXPECT_EQ(sorted[i], static_cast<int>(i));
    }
  }
}

TEST(RingOrder, OfOnePlaceIsThatPlace) {
  const RingOrder best = best_ring_order({{7}});
  EXPECT_EQ(best.order, std::vector{0});
  EXPECT_EQ(best.bottleneck, 0);
}

// Sixteen places of a circle whose neighbours are one apart, in a scrambled order.
TEST(RingOrder, FindsTheCircleThatWasHidden) {
  constexpr int places = 16;
  PairCosts costs(places, std::vector<double>(places, 5));
  const auto scrambled = [](int i) { return static_cast<std::size_t>(7 * i % places); };
  for (int i = 0; i < places; ++i) costs[scrambled(i)][scrambled(i + 1)] = 1;
  EXPECT_EQ(best_ring_order(costs).bottleneck, 1);
}

TEST(LeastBottleneck, IsBelowThatOfEveryRingAndReachedByOneThatTakesAllPlaces) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const PairCosts costs = random_costs(random, 6);
    const auto bound = least_bottleneck(costs, std::vector<int>(6, 1), 6);
    ASSERT_TRUE(bound.has_value());
    EXPECT_LE(*bound, best_ring_order(costs).bottleneck);
  }
}

// Two hosts of four, 1 inside and 9 between: four ranks fit in one, five do not.
TEST(LeastBottleneck, LeavesAHostOnlyWhenItIsFull) {
  const PairCosts costs = {{1, 9}, {9, 1}};
  EXPECT_EQ(least_bottleneck(costs, {4, 4}, 4), 1);
  EXPECT_EQ(least_bottleneck(costs, {4, 4}, 5), 9);
  EXPECT_EQ(least_bottleneck(costs, {4, 4}, 9), std::nullopt);
}

}  // namespace
}  // namespace ringscope
