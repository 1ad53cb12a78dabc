// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every algorithm take the steps, the messages, the items on the wire and the scratch space
// that it declares?
#include <algorithm>

#include "algorithms/catalogue_cases_for_test.hpp"

namespace ringscope {

namespace {

class Costs : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Costs, testing::ValuesIn(algorithms_of()), test_name);

/// Fields that do not vary are as declared; the others are at least that.
void expect_at_least(const Cost& counted, Cost declared, Varies varies) {
  if (varies != Varies::nothing) {
    EXPECT_GE(counted.steps, declared.steps);
    declared.steps = counted.steps;
  }
  if (varies == Varies::all) {
    EXPECT_GE(counted.messages, declared.messages);
    EXPECT_GE(counted.items, declared.items);
    declared = counted;
  }
  EXPECT_EQ(counted, declared);
}

void expect_declared(const Algorithm& algorithm, int ranks, std::size_t items,
                     const Options& options) {
  const std::vector<LoopbackOptions> ways = ways_to_run(algorithm);
  for (const LoopbackOptions& how : {ways.front(), ways.back()}) {
    SCOPED_TRACE(testing::Message()
                 << "ranks " << ranks << ", items " << items << ", segment " << options.segment
                 << ", rounds " << options.rounds << ", root " << options.root << ", synchronous "
                 << how.synchronous_sends << ", seed " << how.seed);
    const auto result = run_loopback(algorithm, ranks, items, options, item_of, how);
    expect_at_least(result.counted, algorithm.cost(ranks, items, options), algorithm.varies);
    EXPECT_EQ(result.scratch_used, algorithm.scratch_items(ranks, items, options));
  }
}

TEST_P(Costs, counted_is_declared) {
  for (int ranks = GetParam().least_ranks; ranks <= 17; ++ranks)
    for (std::size_t items : sizes_for(ranks))
      for (const Options& options : options_for(GetParam(), ranks))
        expect_declared(GetParam(), ranks, items, options);
}

TEST_P(Costs, counted_is_declared_for_many_ranks) { expect_declared(GetParam(), 64, 1000, {}); }

// Whoever went through 2^40 pieces, or kept them, would not end. An estimate asks before a run.
TEST_P(Costs, one_byte_segments_of_a_tebibyte_are_counted_in_bulk) {
  const auto& options = GetParam().options;
  if (std::ranges::find(options, "segment") == options.end()) return;
  constexpr int ranks = 16;
  constexpr std::size_t tebibyte = std::size_t{1} << 40;
  const std::vector<int> hosts = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  const Options in_bytes = {.segment = 1, .given = {.hosts = &hosts}};
  const Options in_one = {.segment = tebibyte, .given = {.hosts = &hosts}};
  EXPECT_GE(GetParam().cost(ranks, tebibyte, in_bytes).messages,
            GetParam().cost(ranks, tebibyte, in_one).messages);
  EXPECT_LE(GetParam().scratch_items(ranks, tebibyte, in_bytes), 2 * ranks * tebibyte);
}

// The formulas of the papers, written out once for one case: P = 8, S = 80.
TEST(DeclaredCost, is_that_of_the_source) {
  const auto cost = [](std::string_view collective, std::string_view name) {
    return find_algorithm(collective, name)->cost(8, 80, {.segment = 5, .rings = 2, .threads = 3});
  };
  EXPECT_EQ(cost("allreduce", "ring"), (Cost{2 * 7, 2 * 7 * 8, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "ring_segmented"), (Cost{2 * 7 * 2, 2 * 7 * 8 * 2, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "recursive_doubling"), (Cost{3, 3 * 8, 3 * 8 * 80}));
  EXPECT_EQ(cost("allreduce", "rabenseifner"), (Cost{2 * 3, 2 * 3 * 8, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "rabenseifner_halves"), cost("allreduce", "rabenseifner"));
  EXPECT_EQ(cost("allreduce", "reduce_broadcast"), (Cost{3 + 4, 2 * 7, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "binomial"), (Cost{3 + 3, 2 * 7, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "double_binary_tree"),
            (Cost{4 * (8 - 1) + 2 * 3, 4 * 7 * 8, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "two_level"), cost("allreduce", "ring"));
  EXPECT_EQ(cost("allreduce", "parallel_rings"), (Cost{2 * 7 * 2, 2 * 7 * 8 * 2, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "ring_threads"), (Cost{2 * 7 * 3, 2 * 7 * 8 * 3, 2 * 7 * 80}));
  EXPECT_EQ(cost("broadcast", "flat"), (Cost{7, 7, 7 * 80}));
  EXPECT_EQ(cost("broadcast", "binomial"), (Cost{3, 7, 7 * 80}));
  EXPECT_EQ(cost("broadcast", "chain"), (Cost{8 + 16 - 2, 7 * 16, 7 * 80}));
  EXPECT_EQ(cost("broadcast", "scatter_allgather"), (Cost{3 + 7, 7 + 8 * 7, 3 * 80 / 2 + 7 * 80}));
  EXPECT_EQ(cost("scatter", "linear"), (Cost{7, 7, 70}));
  EXPECT_EQ(cost("scatter", "binomial"), (Cost{3, 7, 3 * 80 / 2}));
  EXPECT_EQ(cost("gather", "linear"), (Cost{7, 7, 70}));
  EXPECT_EQ(cost("gather", "binomial"), (Cost{3, 7, 3 * 80 / 2}));
  EXPECT_EQ(cost("reduce", "binomial"), (Cost{3, 7, 7 * 80}));
  EXPECT_EQ(cost("reduce", "ring"), (Cost{2 * 7, 8 * 7 + 7, 7 * 80 + 70}));
  EXPECT_EQ(cost("allgather", "ring"), (Cost{7, 8 * 7, 7 * 80}));
  EXPECT_EQ(cost("allgather", "recursive_doubling"), (Cost{3, 8 * 3, 7 * 80}));
  EXPECT_EQ(cost("allgather", "bruck"), (Cost{3, 8 * 3, 7 * 80}));
  EXPECT_EQ(cost("reduce_scatter", "ring"), (Cost{7, 8 * 7, 7 * 80}));
  EXPECT_EQ(cost("reduce_scatter", "recursive_halving"), (Cost{3, 8 * 3, 7 * 80}));
  EXPECT_EQ(cost("alltoall", "pairwise"), (Cost{7, 8 * 7, 7 * 80}));
  EXPECT_EQ(cost("alltoall", "posted"), (Cost{7, 8 * 7, 7 * 80}));
  EXPECT_EQ(cost("alltoallv", "pairwise"), cost("alltoall", "pairwise"));
  EXPECT_EQ(cost("alltoallv", "posted"), cost("alltoall", "posted"));
  EXPECT_EQ(cost("alltoall", "bruck"), (Cost{3, 8 * 3, 3 * 4 * 80}));
  EXPECT_EQ(cost("pingpong", "nonblocking"), (Cost{2, 2, 2 * 80}));
  EXPECT_EQ(cost("pingpong", "sendrecv"), (Cost{2, 2, 2 * 80}));
  EXPECT_EQ(cost("barrier", "dissemination"), (Cost{3, 3 * 8, 0}));
  EXPECT_EQ(cost("pingpong", "blocking"), (Cost{2, 2, 2 * 80}));
  EXPECT_EQ(cost("exchange", "bidirectional"), (Cost{1, 8, 8 * 80}));
}

}  // namespace
}  // namespace ringscope
