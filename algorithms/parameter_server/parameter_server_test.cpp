// SPDX-License-Identifier: LGPL-2.1-or-later
// Do parameter servers end with the weights that the pushes sum up to, and does nobody run ahead of
// what he may?
#include <gmock/gmock.h>

#include <numeric>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/parameter_server/roles.hpp"

namespace ringscope::parameter_server_test {
namespace {

using testing::Each;
using testing::Le;

class ParameterServer : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, ParameterServer,
                         testing::ValuesIn(algorithms_of("parameter_server")), test_name);

/// One way to run a parameter server.
struct Case {
  int workers = 0, servers = 0;
  std::size_t items = 0;
  Options options;
  LoopbackOptions how;
};

/// 1 to 9 workers and 1 to 4 servers, sizes below the number of servers and above, 1 to 4 steps.
template <typename Check>
void for_all_cases(const Algorithm& algorithm, Check check) {
  for (int workers = 1; workers <= 9; ++workers)
    for (int servers = 1; servers <= 4; ++servers)
      for (std::size_t items : {0u, 1u, 3u, 4u, 5u, 22u})
        for (std::size_t segment : {2u, 100u})
          for (int steps = 1; steps <= 4; ++steps)
            for (const LoopbackOptions& how : ways_to_run(algorithm))
              check(Case{workers,
                         servers,
                         items,
                         {.segment = segment, .servers = servers, .steps = steps, .bound = 1},
                         how});
}

LoopbackResult run(const Algorithm& algorithm, const Case& one) {
  return run_loopback(algorithm, one.workers + one.servers, one.items, one.options, item_of,
                      one.how);
}

/// Sum of all workers' pushes in one step.
float sum_of_gradients(int workers, std::size_t index) {
  float sum = 0;
  for (int worker = 0; worker < workers; ++worker) sum += item_of(worker, index);
  return sum;
}

/// The initial weights of the server that holds them, and all gradients as often as there are
/// steps.
float final_weight(const Case& one, std::size_t index) {
  const Roles roles(one.workers + one.servers, one.servers);
  int server = 0;
  for (; server < one.servers - 1; ++server) {
    const Range shard = roles.shard({.size = one.items}, server);
    if (index < shard.offset + shard.size) break;
  }
  return item_of(roles.rank_of(server), index) +
         static_cast<float>(one.options.steps) * sum_of_gradients(one.workers, index);
}

TEST_P(ParameterServer, the_weights_are_the_sum_of_all_pushes) {
  for_all_cases(GetParam(), [](const Case& one) {
    const LoopbackResult result = run(GetParam(), one);
    const Roles roles(one.workers + one.servers, one.servers);
    for (int server = 0; server < one.servers; ++server) {
      const Range shard = roles.shard({.size = one.items}, server);
      const auto& data = result.data[static_cast<std::size_t>(roles.rank_of(server))];
      for (std::size_t i = shard.offset; i < shard.offset + shard.size; ++i)
        ASSERT_EQ(data[i], final_weight(one, i));
    }
  });
}

TEST_P(ParameterServer, gradients_are_left_alone) {
  for_all_cases(GetParam(), [](const Case& one) {
    const LoopbackResult result = run(GetParam(), one);
    for (int worker = 0; worker < one.workers; ++worker)
      for (std::size_t i = 0; i < one.items; ++i)
        ASSERT_EQ(result.data[static_cast<std::size_t>(worker)][i], item_of(worker, i));
  });
}

TEST_P(ParameterServer, every_step_of_every_worker_is_observed) {
  for_all_cases(GetParam(), [](const Case& one) {
    const LoopbackResult result = run(GetParam(), one);
    ASSERT_EQ(result.observed.at("step").size(),
              static_cast<std::size_t>(one.workers * one.options.steps));
  });
}

class Synchronous : public ParameterServer {};
INSTANTIATE_TEST_SUITE_P(catalogue, Synchronous,
                         testing::Values(*find_algorithm("parameter_server", "synchronous"),
                                         *find_algorithm("parameter_server", "multicast")),
                         test_name);

TEST_P(Synchronous, all_workers_end_with_the_final_weights) {
  for_all_cases(GetParam(), [](const Case& one) {
    const LoopbackResult result = run(GetParam(), one);
    for (int worker = 0; worker < one.workers; ++worker)
      for (std::size_t i = 0; i < one.items; ++i)
        ASSERT_EQ(result.scratch[static_cast<std::size_t>(worker)][i], final_weight(one, i));
  });
}

TEST_P(Synchronous, nothing_is_stale) {
  const LoopbackResult result = run(GetParam(), {5, 2, 10, {.servers = 2, .steps = 3}, {}});
  EXPECT_THAT(result.observed.at("staleness"), Each(0));
}

// Between the pull and the push of a worker each of the others can push at most once where all go
// in lock step, and twice for each step that they may be ahead or behind.
TEST(StaleSynchronous, staleness_is_bounded_by_the_bound) {
  const Algorithm& algorithm = *find_algorithm("parameter_server", "stale_synchronous");
  for (int workers = 1; workers <= 9; ++workers)
    for (int bound = 0; bound <= 3; ++bound)
      for (std::uint64_t seed = 0; seed <= 20; ++seed) {
        const Options options = {.segment = 2, .steps = 6, .bound = bound};
        const LoopbackResult result =
            run(algorithm, {workers, 1, 5, options, {.synchronous_sends = true, .seed = seed}});
        const double most = (workers - 1) * (2 * bound + 1);
        ASSERT_THAT(result.observed.at("staleness"), Each(Le(most)));
      }
}

// The first push of the i-th finds i others before it, and so does each later one.
TEST(StaleSynchronous, in_lock_step_the_mean_staleness_is_half_of_the_others) {
  const Algorithm& algorithm = *find_algorithm("parameter_server", "stale_synchronous");
  const LoopbackResult result = run(algorithm, {5, 1, 3, {.steps = 4, .bound = 0}, {.seed = 3}});
  const auto& staleness = result.observed.at("staleness");
  EXPECT_EQ(std::accumulate(staleness.begin(), staleness.end(), 0.0) / 20, (5 - 1) / 2.0);
}

TEST(Roles, every_item_is_held_by_one_server_in_pieces_no_larger_than_a_segment) {
  for (int servers = 1; servers <= 5; ++servers)
    for (std::size_t items = 0; items <= 30; ++items)
      for (std::size_t segment = 1; segment <= 8; ++segment) {
        std::vector<int> held(items);
        const Roles roles(servers + 3, servers);
        const std::vector<ServedPiece> pieces = pieces_of(roles, {.size = items}, segment);
        ASSERT_EQ(count_pieces(roles, items, segment), std::ssize(pieces));
        for (const ServedPiece& part : pieces) {
          ASSERT_GE(part.range.size, 1u);
          ASSERT_LE(part.range.size, segment);
          ASSERT_GE(part.server, 3);
          for (std::size_t i = 0; i < part.range.size; ++i) ++held[part.range.offset + i];
        }
        ASSERT_THAT(held, Each(1));
      }
}

TEST(Roles, there_is_a_server_and_a_worker) {
  EXPECT_THROW(Roles(3, 0), std::invalid_argument);
  EXPECT_THROW(Roles(3, 3), std::invalid_argument);
  EXPECT_NO_THROW(Roles(3, 2));
}

}  // namespace
}  // namespace ringscope::parameter_server_test
