// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a step with experts on several GPUs take what their loads and the sizes of their all-to-alls
// say?
#include "sim/tests/llm_for_test.hpp"

namespace ringscope {
namespace {

using namespace llm_for_test;

class ExpertsTime : public SimulationTest {};

constexpr double experts = 4;
// One expert for each token: as many operations as a plain MLP, and those of the router.
constexpr double router = 2 * tokens * hidden * experts, all = attention + router + mlp;
constexpr double dense_parameters = 4 * hidden * hidden + hidden * experts + 2 * hidden;
constexpr double expert_parameters = 8 * hidden * hidden;  ///< of one

/// A GPU that takes a second for a layer's forward pass, one rank on each host.
Scenario moe(int ranks, const std::string& groups, const std::string& options,
             const std::string& bandwidth = "unlimited") {
  return scenario_of(fmt::format(
      R"(
cluster:
  network: star
  hosts: {}
  link: {{bandwidth: {}, latency: 0 s}}
  host: {{type: simple, cores: 1}}
library: {{base: ideal, network: {{eager_limit: 0 B}}}}
placement: 1x{}
job:
  program: llm
  groups: {}
  options:
    model: {{layers: 4, hidden: 64, heads: 8, sequence: 32, experts: 4, top_k: 1}}
    gpu: {{flops: {}, memory_bandwidth: unlimited}}
    {}
)",
      ranks, bandwidth, ranks, groups, all, options));
}

/// Seconds of a layer, forward and backward, where the experts of a rank get `load` of the tokens.
double layer(double load) { return 3 * ((attention + router) + load * mlp) / all; }

/// Four all-to-alls of a layer, in which the busiest port carries `load` times the even share.
double exchanges(double ep, double load, double sent, double rate) {
  return 4 * (ep - 1) / ep * load * sent / rate;
}

double ring(double ranks, double parameters_of, double rate) {
  return 2 * (ranks - 1) / ranks * layers * 2 * parameters_of / rate;
}

TEST_F(ExpertsTime, is_that_of_the_busiest_ranks_experts_in_every_layer) {
  expect_seconds(run(moe(4, "{ep: 4}", "zero: 0")).time_s, layers * layer(1));
  for (const double imbalance : {1.5, 2.0, 4.0})
    for (const int seed : {1, 2}) {
      const std::string routing =
          fmt::format("routing: {{imbalance: {}, seed: {}}}", imbalance, seed);
      expect_seconds(run_again(moe(4, "{ep: 4}", routing)).time_s, layers * layer(imbalance));
      // All experts on one GPU: it is all the same to it which is busy.
      expect_seconds(run_again(moe(4, "{ep: 1}", routing)).time_s, layers * layer(1));
    }
}

// A rank of two experts has the mean of theirs.
TEST_F(ExpertsTime, goes_by_all_experts_of_a_rank) {
  expect_seconds(run_again(moe(2, "{ep: 2}", "routing: {imbalance: 4}")).time_s, layers * layer(2));
}

// Fedus et al. 2022, section 2.2: what is beyond an expert's capacity is dropped.
TEST_F(ExpertsTime, is_bound_by_the_capacity) {
  expect_seconds(run_again(moe(4, "{ep: 4}", "routing: {imbalance: 2, capacity: 1.25}")).time_s,
                 layers * layer(1.25));
}

// Only what all ranks have is summed over all.
TEST_F(ExpertsTime, counts_the_way_of_the_tokens_to_the_busiest_rank_and_back) {
  const double rate = 1e5;
  for (const double imbalance : {1.0, 2.0, 4.0})
    expect_seconds(run_again(moe(4, "{ep: 4}", fmt::format("routing: {{imbalance: {}}}", imbalance),
                                 "100 kB/s"))
                       .time_s,
                   layers * (layer(imbalance) + exchanges(4, imbalance, activation, rate)) +
                       ring(4, dense_parameters, rate));
}

// arXiv:2412.19437, section 3.3.2: a byte for each value and 4 for 128 of them go to the experts,
// two bytes come back.
TEST_F(ExpertsTime, takes_less_time_on_the_way_to_experts_in_fp8) {
  const double rate = 1e5, both = (1 + 4.0 / 128) / 2 + 1;
  const std::string options = "routing: {dispatch: fp8}";
  expect_seconds(run_again(moe(4, "{ep: 4}", options, "100 kB/s")).time_s,
                 layers * (layer(1) + exchanges(4, 1, activation, rate) * both / 2) +
                     ring(4, dense_parameters, rate));
}

// One expert of four: half of the tokens go to the other host, and half of those that a rank has
// then go to the other rank of its host.
TEST_F(ExpertsTime, passes_tokens_on_at_the_hosts_of_their_experts) {
  const double rate = 1e5;
  expect_seconds(run_again(moe(4, "{ep: 4}", "routing: {hosts: 2}", "100 kB/s")).time_s,
                 layers * (layer(1) + 4 * (1.0 / 2 + 1.0 / 2) * activation / rate) +
                     ring(4, dense_parameters, rate));
}

TEST_F(ExpertsTime, sums_gradients_of_experts_over_those_who_have_them) {
  const double rate = 1e5;
  const Report report = run(moe(4, "{ep: 2}", "zero: 0", "100 kB/s"));
  expect_seconds(report.time_s, layers * (layer(1) + exchanges(2, 1, activation, rate)) +
                                    ring(4, dense_parameters, rate) +
                                    ring(2, 2 * expert_parameters, rate));
  std::vector<std::string> names;
  for (const GroupReport& group : report.training->groups) names.push_back(group.name);
  for (const char* name : {"data", "expert", "expert data"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

// With tensor groups a rank sends the tokens of its half of the sequence, and those that have come
// are gathered for both halves of each expert: there, and likewise back.
TEST_F(ExpertsTime, beside_tensor_groups_gathers_what_has_come) {
  const double rate = 1e5, pair = activation / rate;  // a reduce-scatter and an allgather of two
  expect_seconds(
      run_again(moe(4, "{tp: 2, ep: 2}", "sequence_parallel: true", "100 kB/s")).time_s,
      layers * (layer(1) / 2 + 2 * pair + 2 * pair + exchanges(2, 1, activation / 2, rate)) +
          ring(2, dense_parameters / 2, rate));
}

// 2 + 2 + 12 bytes for each parameter; a rank has one expert of four, ZeRO 1 cuts what is alike.
TEST_F(ExpertsTime, comes_with_the_memory_of_a_ranks_own_experts) {
  const auto memory = [](const std::string& groups, const std::string& options) {
    return *simulate(moe(8, groups, options), {}).training->memory;
  };
  const StageMemory plain = memory("{ep: 4}", "zero: 0"), cut = memory("{ep: 4}", "zero: 1"),
                    hot = memory("{ep: 4}", "routing: {imbalance: 2}");
  const double own = layers * (dense_parameters + expert_parameters);
  EXPECT_DOUBLE_EQ(plain.parameters, 2 * own);
  EXPECT_DOUBLE_EQ(plain.gradients, 2 * own);
  EXPECT_DOUBLE_EQ(plain.optimiser, 12 * own);
  EXPECT_DOUBLE_EQ(cut.optimiser, 12 * layers * (dense_parameters / 8 + expert_parameters / 2));
  // arXiv:2205.05198, section 4: 34 bytes of a token and hidden unit, 19 of them of the MLP.
  EXPECT_DOUBLE_EQ(plain.activations, layers * tokens * hidden * 34);
  EXPECT_DOUBLE_EQ(hot.activations, layers * tokens * hidden * (34 + 19));
}

}  // namespace
}  // namespace ringscope
