// SPDX-License-Identifier: LGPL-2.1-or-later
// Are bottlenecks foreseen only as long as that is cheaper than guesses?
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sim/kernel/max_min.hpp"

namespace ringscope::sim::max_min_joins_test {
namespace {

constexpr int nics = 48, links = 192, pairs = 250;

/// Joins flows from each NIC to each other one, over two links at random, and lets some leave: the
/// levels of all hang together. Returns the uses of those that stay.
std::uint64_t entangle(MaxMin& rates) {
  std::mt19937 random(3);
  for (int i = 0; i < 2 * nics + links; ++i) rates.add_resource(25);
  const auto link = [&](int first) {
    return 2 * nics + first + static_cast<int>(random() % (links / 2));
  };
  int flows = 0;
  for (int from = 0; from < nics; ++from)
    for (int to = 0; to < nics; ++to) {
      if (from == to) continue;
      const Use uses[] = {{from, 1}, {link(0), 1}, {link(links / 2), 1}, {nics + to, 1}};
      rates.set_uses(flows, uses);
      rates.join(flows++);
    }
  rates.solve();
  constexpr int one_in = 8;
  for (int flow = 0; flow < flows; flow += one_in) rates.leave(flow);
  rates.solve();
  return static_cast<std::uint64_t>(4 * flows) * (one_in - 1) / one_in;
}

/// Operations while two flows come to each of some resources that nobody else uses, and leave.
std::uint64_t operations_of_pairs(MaxMin& rates) {
  constexpr int first_flow = nics * nics, first_resource = 2 * nics + links;
  const std::uint64_t before = rates.operations();
  for (int i = 0; i < 2 * pairs; ++i) {
    const Use uses[] = {{first_resource + i / 2, 1}};
    rates.set_uses(first_flow + i, uses);
    rates.join(first_flow + i);
  }
  rates.solve();
  for (int i = 0; i < 2 * pairs; ++i) rates.leave(first_flow + i);
  rates.solve();
  return rates.operations() - before;
}

TEST(MaxMinJoins, joins_are_guessed_again_some_time_after_levels_hung_together) {
  MaxMin rates;
  const std::uint64_t uses = entangle(rates);
  for (int i = 0; i < pairs; ++i) rates.add_resource(1);
  EXPECT_GT(operations_of_pairs(rates), uses);  // all that flows is looked at
  for (int round = 0; round < 70; ++round) operations_of_pairs(rates);
  EXPECT_LT(operations_of_pairs(rates), uses);
}

}  // namespace
}  // namespace ringscope::sim::max_min_joins_test
