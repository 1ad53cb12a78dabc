// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the clocks of a parameter server let on everybody who may, and nobody else, whatever the order
// of the pushes?
#include "algorithms/parameter_server/clocks.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ringscope {
namespace {

/// Reference clocks, kept by hand: how often each worker has pushed, and what was pushed since it
/// had its answer.
struct Expected {
  int bound = 0;
  std::vector<int> pushes, pushed_since;
  std::vector<bool> waits;
};

void push(WorkerClocks& clocks, Expected& expected, std::size_t worker) {
  EXPECT_EQ(clocks.applied(static_cast<int>(worker)), expected.pushed_since[worker]);
  for (int& others : expected.pushed_since) ++others;
  ++expected.pushes[worker];
  expected.waits[worker] = true;
  const int slowest = *std::min_element(expected.pushes.begin(), expected.pushes.end());
  std::vector<int> due;
  for (std::size_t i = 0; i < expected.pushes.size(); ++i) {
    if (!expected.waits[i] || expected.pushes[i] - slowest > expected.bound) continue;
    due.push_back(static_cast<int>(i));
    expected.waits[i] = false;
    expected.pushed_since[i] = 0;
  }
  EXPECT_EQ(clocks.released(), due);
  EXPECT_TRUE(clocks.released().empty());
  EXPECT_EQ(clocks.pushes(static_cast<int>(worker)), expected.pushes[worker]);
}

/// Every order in which workers that do not wait can push, `left` pushes long.
void every_order(const WorkerClocks& clocks, const Expected& expected, int left) {
  const auto least = std::minmax_element(expected.pushes.begin(), expected.pushes.end());
  ASSERT_LE(*least.second - *least.first, expected.bound + 1);
  if (left == 0) return;
  bool somebody = false;
  for (std::size_t worker = 0; worker < expected.pushes.size(); ++worker) {
    if (expected.waits[worker]) continue;
    somebody = true;
    WorkerClocks next_clocks = clocks;
    Expected next = expected;
    push(next_clocks, next, worker);
    every_order(next_clocks, next, left - 1);
  }
  ASSERT_TRUE(somebody) << "nobody can go on";
}

TEST(WorkerClocks, release_who_is_within_the_bound_in_every_order_of_pushes) {
  for (std::size_t workers = 1; workers <= 3; ++workers)
    for (int bound = 0; bound <= 2; ++bound) {
      const Expected start = {bound, std::vector<int>(workers), std::vector<int>(workers),
                              std::vector<bool>(workers)};
      every_order(WorkerClocks(static_cast<int>(workers), bound), start, 8);
    }
}

TEST(WorkerClocks, in_lock_step_release_all_at_once) {
  WorkerClocks clocks(3, 0);
  for (int worker : {2, 0}) {
    clocks.applied(worker);
    EXPECT_TRUE(clocks.released().empty());
  }
  clocks.applied(1);
  EXPECT_EQ(clocks.released(), (std::vector<int>{0, 1, 2}));
}

TEST(WorkerClocks, without_a_bound_release_everybody_at_once) {
  WorkerClocks clocks(2, no_bound);
  for (int push = 0; push < 5; ++push) {
    EXPECT_EQ(clocks.applied(1), 0);
    EXPECT_EQ(clocks.released(), std::vector<int>{1});
  }
  EXPECT_EQ(clocks.applied(0), 5);
}

TEST(Clocks, own_pushes_between_two_pulls_are_not_stale) {
  WorkerClocks clocks(2, no_bound);
  EXPECT_EQ(clocks.applied(0, false), 0);
  EXPECT_TRUE(clocks.released().empty());
  EXPECT_EQ(clocks.applied(0, false), 0);
  EXPECT_EQ(clocks.applied(1), 2);
  clocks.asks(0);
  EXPECT_EQ(clocks.released(), (std::vector<int>{0, 1}));
  EXPECT_EQ(clocks.applied(0), 0);
  EXPECT_EQ(clocks.applied(1), 1);
}

}  // namespace
}  // namespace ringscope
