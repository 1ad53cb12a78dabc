// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a step with ZeRO 2 or 3 take the longer of what it computes and of what it exchanges?
#include "sim/tests/llm_for_test.hpp"

namespace ringscope::llm_sharded_test {
namespace {

using namespace llm_for_test;

class ShardedLlmTime : public SimulationTest {};

constexpr double forward = 1, backward = 2;  ///< s, of a layer

/// A ring's gather, or reduce-scatter, of one layer of 2-byte elements among `ranks`.
double exchange_s(double ranks, double rate) { return (ranks - 1) / ranks * 2 * parameters / rate; }

// Each layer is exchanged three times, and what a device computes hides behind that.
TEST_F(ShardedLlmTime, on_a_slow_network_is_that_of_two_gathers_and_a_reduce_scatter_a_layer) {
  for (const int d : {2, 4})
    for (const int micro_batches : {1, 2})
      for (const int prefetch : {1, 2}) {
        const Scenario job = llm(d, "{}",
                                 fmt::format("zero: 3\n    micro_batches: {}\n    prefetch: {}",
                                             micro_batches, prefetch),
                                 "10 kB/s");
        expect_seconds(time_of(job), micro_batches * 3 * layers * exchange_s(d, 10e3));
      }
}

// The first gather comes before all, the last reduce-scatter after all.
TEST_F(ShardedLlmTime, on_a_fast_network_is_that_of_its_layers_between_two_exchanges) {
  for (const int d : {2, 4})
    for (const int micro_batches : {1, 3}) {
      const Scenario job =
          llm(d, "{}", fmt::format("zero: 3\n    micro_batches: {}", micro_batches), "200 kB/s");
      const Report report = simulate(job, {});
      const double exposed = 2 * exchange_s(d, 200e3);
      expect_seconds(report.time_s, micro_batches * layers * (forward + backward) + exposed);
      ASSERT_TRUE(report.training.has_value());
      expect_seconds(report.training->busy_s, micro_batches * layers * (forward + backward));
      expect_seconds(report.training->exposed.dp, exposed);
      for (const RankReport& rank : report.rank_reports)
        for (const GroupReport& group : rank.groups) {
          if (group.name == "data") expect_seconds(group.time_s, exposed);
        }
    }
}

TEST_F(ShardedLlmTime, shows_every_gather_that_is_not_made_ahead) {
  const double one = exchange_s(4, 100e3);
  expect_seconds(time_of(llm(4, "{}", "zero: 3\n    prefetch: 0", "100 kB/s")),
                 layers * (forward + backward) + 2 * layers * one + one);
}

// ZeRO 2 gathers nothing before the step's end.
TEST_F(ShardedLlmTime, with_whole_parameters_ends_with_one_gather_of_them_all) {
  for (const int micro_batches : {1, 2}) {
    const double one = exchange_s(4, 100e3);
    expect_seconds(time_of(llm(4, "{}",
                               fmt::format("zero: 2\n    micro_batches: {}\n    update: 1000 us/B",
                                           micro_batches),
                               "100 kB/s")),
                   micro_batches * layers * (forward + backward) + one + layers * one +
                       layers * 2 * parameters / 4 * 1e-3);
  }
}

// Hybrid sharding: gathers among two ranks, and a sum of their halves over two replicas.
TEST_F(ShardedLlmTime, with_replicas_sums_the_parts_over_them) {
  const double one = exchange_s(2, 100e3), sum = 2.0 * 1 / 2 * parameters / 100e3;
  expect_seconds(time_of(llm(4, "{}", "zero: 3\n    shard: 2", "100 kB/s")),
                 one + layers * (forward + backward) + one + sum);
}

// A host's link carries what its rank sends: arXiv:1910.02054, section 7.2.2, but for its own part.
TEST_F(ShardedLlmTime, comes_with_three_times_the_parameters_on_each_link) {
  const Report report = simulate(llm(4, "{}", "zero: 3", "100 kB/s"), {});
  double most = 0;
  for (const ResourceReport& one : report.resources)
    if (one.kind == ResourceKind::link)
      most = std::max(most, one.utilisation * report.time_s * 100e3);
  EXPECT_NEAR(most, 3 * 3.0 / 4 * layers * 2 * parameters, 1e-6 * most);
}

// arXiv:1910.02054, section 3: 2 + 2 + 12 bytes for each parameter, by the ranks that share them;
// and the units in use: one of gradients, of parameters that in use and the next.
TEST_F(ShardedLlmTime, comes_with_the_memory_of_its_part_and_of_the_units_in_use) {
  const auto memory = [](const std::string& options) {
    return *simulate(llm(4, "{}", options), {}).training->memory;
  };
  const double all = layers * parameters;
  const StageMemory two = memory("zero: 2"), three = memory("zero: 3");
  const StageMemory replicas = memory("zero: 3\n    shard: 2\n    prefetch: 2");
  EXPECT_DOUBLE_EQ(two.parameters, 2 * all);
  EXPECT_DOUBLE_EQ(two.gradients, 2 * all / 4 + 2 * parameters);
  EXPECT_DOUBLE_EQ(two.optimiser, 12 * all / 4);
  EXPECT_DOUBLE_EQ(three.parameters, 2 * all / 4 + 2 * 2 * parameters);
  EXPECT_DOUBLE_EQ(three.gradients, two.gradients);
  EXPECT_DOUBLE_EQ(replicas.parameters, 2 * all / 2 + 3 * 2 * parameters);
  EXPECT_DOUBLE_EQ(replicas.optimiser, 12 * all / 2);
}

}  // namespace
}  // namespace ringscope::llm_sharded_test
