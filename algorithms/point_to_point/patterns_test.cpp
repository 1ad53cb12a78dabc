// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the point-to-point patterns and the barriers leave behind what their collective promises?
#include "algorithms/collective_cases_for_test.hpp"

namespace ringscope {
namespace {

class Pattern : public testing::TestWithParam<Algorithm> {};
class Pingpong : public Pattern {};
class Overlap : public Pattern {};
class Exchange : public Pattern {};
class Barrier : public Pattern {};
class Shift : public Pattern {};
INSTANTIATE_TEST_SUITE_P(catalogue, Shift, testing::ValuesIn(algorithms_of("sendrecv")), test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Pingpong, testing::ValuesIn(algorithms_of("pingpong")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Overlap, testing::ValuesIn(algorithms_of("overlap")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Exchange, testing::ValuesIn(algorithms_of("exchange")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Barrier, testing::ValuesIn(algorithms_of("barrier")),
                         test_name);

/// Every number of ranks, size, set of options and way to run that the pattern takes.
template <typename Check>
void for_all(const Algorithm& algorithm, Check check) {
  for (int ranks = algorithm.least_ranks; ranks <= 9; ++ranks)
    for (std::size_t items : sizes_for(ranks))
      for (const Options& options : options_for(algorithm, ranks))
        for (const LoopbackOptions& how : ways_to_run(algorithm))
          check(ranks, items, run_loopback(algorithm, ranks, items, options, item_of, how));
}

/// Rank 1 has rank 0's vector, everybody else still has its own.
void expect_sent_to_rank_1(const Algorithm& algorithm) {
  for_all(algorithm, [](int ranks, std::size_t items, const LoopbackResult& result) {
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(result.data[static_cast<std::size_t>(rank)],
                vector_of(rank == 1 ? 0 : rank, items));
  });
}

TEST_P(Pingpong, the_vector_of_rank_0_reaches_rank_1) { expect_sent_to_rank_1(GetParam()); }
TEST_P(Overlap, the_vector_of_rank_0_reaches_rank_1) { expect_sent_to_rank_1(GetParam()); }

TEST_P(Pingpong, comes_back) {
  EXPECT_TRUE(run_loopback(GetParam(), 2, 4, {}, item_of).heard[0][1]);
}

TEST_P(Exchange, scratch_holds_the_vector_of_the_partner) {
  for_all(GetParam(), [](int ranks, std::size_t items, const LoopbackResult& result) {
    for (int rank = 0; rank < ranks; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      EXPECT_EQ(result.data[index], vector_of(rank, items));
      if ((rank ^ 1) < ranks) {
        EXPECT_EQ(result.scratch[index], vector_of(rank ^ 1, items));
      }
    }
  });
}

TEST_P(Shift, scratch_holds_the_vector_of_the_rank_before) {
  for_all(GetParam(), [](int ranks, std::size_t items, const LoopbackResult& result) {
    for (int rank = 0; rank < ranks; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      EXPECT_EQ(result.data[index], vector_of(rank, items));
      EXPECT_EQ(result.scratch[index], vector_of((rank + ranks - 1) % ranks, items));
    }
  });
}

TEST_P(Exchange, deadlocks_without_buffers_only_where_that_is_its_point) {
  const auto run = [] {
    return run_loopback(GetParam(), 2, 4, {}, item_of, {.synchronous_sends = true});
  };
  if (relies_on_buffering(GetParam()))
    EXPECT_THROW(run(), LoopbackDeadlock);
  else
    EXPECT_NO_THROW(run());
}

TEST_P(Barrier, nobody_leaves_before_all_have_entered) {
  for (int ranks = GetParam().least_ranks; ranks <= 33; ++ranks)
    for (const LoopbackOptions& how : ways_to_run(GetParam())) {
      const auto result = run_loopback(GetParam(), ranks, 0, {}, item_of, how);
      EXPECT_THAT(result.heard, testing::Each(testing::Each(true))) << ranks << " ranks";
    }
}

}  // namespace
}  // namespace ringscope
