// SPDX-License-Identifier: LGPL-2.1-or-later
// Do ranks stand where Megatron's order string puts them?
#include "algorithms/steps/grid.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ringscope::grid_test {
namespace {

using Groups = std::map<int, std::vector<int>>;

Groups groups_of(const Grid& grid, const std::string& name) {
  Groups groups;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    auto& group = groups[grid.colour(rank, name)];
    EXPECT_EQ(grid.index(rank, name), static_cast<int>(group.size()));
    group.push_back(rank);
  }
  return groups;
}

// The example in the comment on initialize_model_parallel of Megatron-LM's parallel_state.py: 16
// GPUs, tensor 2, pipeline 4, so data 2.
TEST(Grid, puts_ranks_where_megatron_does) {
  const Grid grid({{"tp", 2}, {"dp", 2}, {"pp", 4}});
  EXPECT_EQ(grid.ranks(), 16);
  const Groups data = groups_of(grid, "dp"), pipeline = groups_of(grid, "pp");
  EXPECT_EQ(data, (Groups{{0, {0, 2}},
                          {1, {1, 3}},
                          {2, {4, 6}},
                          {3, {5, 7}},
                          {4, {8, 10}},
                          {5, {9, 11}},
                          {6, {12, 14}},
                          {7, {13, 15}}}));
  EXPECT_EQ(
      pipeline,
      (Groups{{0, {0, 4, 8, 12}}, {1, {1, 5, 9, 13}}, {2, {2, 6, 10, 14}}, {3, {3, 7, 11, 15}}}));
  EXPECT_EQ(groups_of(grid, "tp").at(3), (std::vector<int>{6, 7}));
}

TEST(Grid, nests_the_other_way_round_when_told_so) {
  const Grid grid({{"pp", 2}, {"tp", 3}});
  EXPECT_EQ(groups_of(grid, "pp"), (Groups{{0, {0, 1}}, {1, {2, 3}}, {2, {4, 5}}}));
  EXPECT_EQ(groups_of(grid, "tp"), (Groups{{0, {0, 2, 4}}, {1, {1, 3, 5}}}));
}

TEST(Grid, puts_ranks_where_lists_say) {
  const Grid grid({{"tp", 2}, {"pp", 2}}, {{1, 0}, {0, 1}, {0, 0}, {1, 1}});
  EXPECT_EQ(grid.colour(0, "tp"), grid.colour(2, "tp"));
  EXPECT_EQ(grid.index(2, "tp"), 0);
  EXPECT_EQ(grid.colour(1, "pp"), grid.colour(2, "pp"));
  EXPECT_EQ(grid.index(1, "pp"), 1);
}

TEST(Grid, has_groups_of_one_rank_along_what_it_does_not_have) {
  const Grid grid({{"dp", 4}});
  EXPECT_EQ(grid.size("tp"), 1);
  EXPECT_EQ(grid.index(3, "tp"), 0);
  EXPECT_EQ(grid.colour(3, "tp"), 3);
}

}  // namespace
}  // namespace ringscope::grid_test
