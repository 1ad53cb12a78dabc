// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a streaming exchange add up all that was streamed, account for every step, and end cleanly?
#include <cmath>
#include <numeric>

#include "algorithms/catalogue_cases_for_test.hpp"

namespace ringscope::streaming_test {
namespace {

class Streaming : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Streaming,
                         testing::Values(*find_algorithm("streaming_exchange", "free_running"),
                                         *find_algorithm("streaming_exchange", "interlocked")),
                         test_name);

// In the loopback steps take no time: each solver makes the one pull that it must.
void expect_all_of(const Options& options, int solvers, std::size_t items,
                   const LoopbackResult& result) {
  for (std::size_t i = 0; i < items; ++i) {
    float sum = 0;
    for (int rank = 0; rank <= solvers; ++rank) sum += item_of(rank, i);
    ASSERT_EQ(result.data.back()[i], sum);
    for (int solver = 0; solver < solvers; ++solver)
      ASSERT_FALSE(std::isnan(result.scratch[static_cast<std::size_t>(solver)][i]));
  }
  const auto& steps = result.observed.at("pull");
  ASSERT_EQ(std::accumulate(steps.begin(), steps.end(), 0.0), solvers * options.steps);
  ASSERT_EQ(result.observed.at("step").size(), static_cast<std::size_t>(solvers * options.steps));
}

TEST_P(Streaming, weights_are_the_sum_each_step_is_followed_by_a_pull_and_the_last_is_whole) {
  for (int solvers = 1; solvers <= 9; ++solvers)
    for (std::size_t items : {0u, 1u, 2u, 9u, 22u})
      for (std::size_t segment : {1u, 2u, 100u})
        for (int steps = 1; steps <= 4; ++steps)
          for (const LoopbackOptions& how : ways_to_run(GetParam())) {
            for (const int kernels : {0, 2}) {
              const Options options = {.segment = segment,
                                       .steps = steps,
                                       .default_stream = kernels,
                                       .own_copy = kernels > 0};
              expect_all_of(options, solvers, items,
                            run_loopback(GetParam(), solvers + 1, items, options, item_of, how));
              if (HasFatalFailure()) return;
            }
          }
}

// The first items of each piece stand for what is sent.
TEST_P(Streaming, a_share_of_each_piece_is_added_and_all_of_it_comes_back) {
  const std::size_t items = 22, segment = 8, sent = 2;
  const Options options = {.segment = segment, .push_share = 0.25};
  const LoopbackResult result = run_loopback(GetParam(), 4, items, options, item_of, {});
  for (std::size_t i = 0; i < items; ++i) {
    float sum = item_of(3, i);
    for (int rank = 0; rank < 3 && i % segment < sent; ++rank) sum += item_of(rank, i);
    ASSERT_EQ(result.data.back()[i], sum);
  }
}

TEST_P(Streaming, own_copy_holds_the_weights_of_the_last_pull) {
  const std::size_t items = 9;
  const LoopbackResult result =
      run_loopback(GetParam(), 3, items, {.segment = 4, .own_copy = true}, item_of, {});
  for (std::size_t i = 0; i < items; ++i)
    EXPECT_EQ(result.scratch[0][items + i], result.scratch[0][i]);
}

}  // namespace
}  // namespace ringscope::streaming_test
