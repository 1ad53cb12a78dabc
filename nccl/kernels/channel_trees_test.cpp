// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the channels of an allreduce sum along the trees that are known?
#include "algorithms/collective_cases_for_test.hpp"
#include "algorithms/steps/binary_trees.hpp"

namespace ringscope::channel_trees_test {
namespace {

// On one host trees are chains unless they are known: a rank then has room for one child.
TEST(ChannelTrees, known_trees_reduce_all_ranks_with_a_buffer_per_child) {
  constexpr int ranks = 4;
  constexpr std::size_t items = 100;
  const Algorithm& trees = *find_algorithm("allreduce", "channel_trees");
  const std::vector<int> one_host(ranks, 0);
  Table<Table<TreeEnds>> star(1, Table<TreeEnds>(ranks, TreeEnds{.parent = 2}));
  star[0][2] = {.children = {0, 1, 3}};
  const Options chain = {.given = {.hosts = &one_host}},
                known = {.given = {.hosts = &one_host, .trees = &star}};
  EXPECT_EQ(trees.scratch_items(ranks, items, chain), items);
  EXPECT_EQ(trees.scratch_items(ranks, items, known), 3 * items);
  const LoopbackResult result = run_loopback(trees, ranks, items, known, item_of);
  for (const std::vector<float>& data : result.data) EXPECT_EQ(data, sum_of_all(ranks, items));
  EXPECT_EQ(result.counted.messages, 2 * (ranks - 1));
}

}  // namespace
}  // namespace ringscope::channel_trees_test
