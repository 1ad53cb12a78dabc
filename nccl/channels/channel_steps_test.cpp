// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the index arithmetic of PAT and of the heads of switches right, for every number of ranks?
#include <gtest/gtest.h>

#include <set>

#include "nccl/channels/pat_steps.hpp"
#include "nccl/channels/switch_channel.hpp"

namespace ringscope {
namespace {

constexpr int most_ranks = 40;

// Who has offset o before a distance has come by greater ones: the chunk of the rank o before it.
TEST(PatSteps, bring_every_rank_each_chunk_once_from_one_who_has_it) {
  for (int p = 1; p <= most_ranks; ++p) {
    std::set<int> held = {0};
    for (int step = 0; step < pat_steps(p); ++step) {
      const int distance = pat_distance(p, step);
      for (const int offset : pat_offsets(p, distance)) {
        EXPECT_TRUE(held.contains(offset)) << p << " ranks, distance " << distance;
        EXPECT_TRUE(held.insert(offset + distance).second);
      }
    }
    EXPECT_EQ(std::ssize(held), p);
    EXPECT_EQ(*held.rbegin(), p - 1);
  }
}

TEST(SwitchHeads, heads_of_equal_number_form_a_tree_over_all_hosts) {
  const std::vector<std::vector<int>> hosts = {{0, 3, 4}, {1, 2}, {5, 6, 7, 8}, {9, 10}, {11, 12}};
  EXPECT_EQ(heads_of(hosts), 2);
  const auto ranks_of = [&](int rank, int channel) {
    const auto [host, place] = place_of(hosts, rank);
    return switch_ranks(hosts, host, place, channel);
  };
  for (const int channel : {0, 1})
    for (int head = 0; head < 2; ++head) {
      int roots = 0;
      std::size_t deepest = 0;
      for (const auto& host : hosts) {
        const int self = host[static_cast<std::size_t>(head)];
        const SwitchRanks ranks = ranks_of(self, channel);
        EXPECT_EQ(ranks.head, head);
        EXPECT_EQ(ranks.host, host);
        roots += ranks.parent == no_rank ? 1 : 0;
        for (const int child : ranks.children) {
          EXPECT_EQ(ranks_of(child, channel).parent, self);
          EXPECT_EQ(ranks_of(child, channel).head, head);
          EXPECT_EQ(ranks_of(child, channel).depth, ranks.depth + 1);
        }
        deepest = std::max(deepest, ranks.depth);
        EXPECT_EQ(ranks.levels, 3u);
      }
      EXPECT_EQ(roots, 1);
      EXPECT_EQ(deepest, 3u);
    }
  EXPECT_FALSE(ranks_of(8, 0).is_head());
}

TEST(SwitchStages, stages_of_a_host_differ_by_the_allowed_rounds) {
  const SwitchStages stages(switch_ranks({{0, 1, 2, 3}}, 0, 0, 0));
  EXPECT_EQ(stages.summed, rounds_ahead);
  EXPECT_EQ(stages.ended - stages.down, rounds_ahead);
}

}  // namespace
}  // namespace ringscope
