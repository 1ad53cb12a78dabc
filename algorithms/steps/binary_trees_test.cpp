// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the two trees trees, as shallow as binary ones are, and is who works in one idle in the
// other?
#include "algorithms/steps/binary_trees.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace ringscope::binary_trees_test {
namespace {

constexpr int most_ranks = 130;

int children_of(const TreeNode& node) {
  int count = 0;
  for (const int child : node.children) count += child == no_rank ? 0 : 1;
  return count;
}

TEST(BinaryTrees, parents_and_children_agree) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int tree : {0, 1}) {
      int edges = 0;
      for (int self = 0; self < p; ++self) {
        const TreeNode node = tree_node(tree, self, p);
        edges += children_of(node);
        for (const int child : node.children) {
          if (child != no_rank) {
            EXPECT_EQ(tree_node(tree, child, p).parent, self) << p;
          }
        }
      }
      EXPECT_EQ(edges, p - 1);
    }
}

TEST(BinaryTrees, all_ranks_reach_the_root_in_at_most_log2_p_steps) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int tree : {0, 1})
      for (int self = 0; self < p; ++self) {
        int steps = 0;
        for (int at = self; at != no_rank && steps <= p; at = tree_node(tree, at, p).parent)
          ++steps;
        EXPECT_LE(steps - 1, static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))));
      }
}

TEST(BinaryTrees, inner_ranks_of_one_tree_are_leaves_of_the_other) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self) {
      const int first = children_of(tree_node(0, self, p));
      const int second = children_of(tree_node(1, self, p));
      EXPECT_LE(first + second, p % 2 == 0 ? 2 : 3) << self << " of " << p;
      if (p % 2 == 0) {
        EXPECT_TRUE(first == 0 || second == 0) << self << " of " << p;
      }
    }
}

// Eight ranks as NCCL 2.4 draws them: 0 over 4, 4 over 2 and 6, odd ranks below.
TEST(BinaryTrees, are_those_of_the_source) {
  EXPECT_EQ(tree_node(0, 0, 8).children[0], 4);
  EXPECT_EQ(tree_node(0, 4, 8).children, (std::array{2, 6}));
  EXPECT_EQ(tree_node(0, 6, 8).children, (std::array{5, 7}));
  EXPECT_EQ(tree_node(1, 7, 8).children[0], 3);
  EXPECT_EQ(tree_node(1, 3, 8).children, (std::array{5, 1}));
}

}  // namespace
}  // namespace ringscope::binary_trees_test
