// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a step that is put together from its parts take as long as the simulation of all messages?
#include "sim/estimate/llm_times.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

const std::string usual =
    "{layers: 8, hidden: 2048, heads: 16, gated: true, sequence: 2048, vocabulary: 32000}";

Scenario job(const std::string& groups, const std::string& options,
             const std::string& model = usual) {
  return read_tree(
             Value::from_text("test", fmt::format("question: how long?\n"
                                                  "cluster: h100_nvswitch\n"
                                                  "library: nccl_h100\n"
                                                  "placement: {{hosts: 8-8, on: gpu}}\n"
                                                  "job:\n  program: llm\n  groups: {}\n  options:\n"
                                                  "    model: {}\n"
                                                  "    gpu: h100\n{}",
                                                  groups, model, options)),
             "test")
      .front();
}

/// Estimated step by the simulated one.
double ratio(const std::string& groups, const std::string& options,
             const std::string& model = usual) {
  const Scenario scenario = job(groups, options, model);
  KnownParts known;
  SimulatedPrograms simulated;
  GroupTimes times(scenario, known, simulated);
  return llm_times(scenario, times).step_s / simulate(scenario, {}).time_s;
}

constexpr double close = 0.03;

TEST(LlmTimes, agree_with_the_simulation_of_tensor_and_data_groups) {
  EXPECT_NEAR(ratio("{tp: 4}", "    micro_batches: 4\n    zero: 1\n"), 1, close);
  EXPECT_NEAR(ratio("{tp: 8}", "    micro_batches: 2\n    sequence_parallel: true\n"), 1, close);
  EXPECT_NEAR(ratio("{tp: 8}", "    precision: fp8\n    sequence_parallel: true\n"), 1, close);
}

TEST(LlmTimes, agree_with_the_simulation_of_pipelines) {
  EXPECT_NEAR(ratio("{tp: 2, pp: 4}", "    micro_batches: 8\n    zero: 1\n"), 1, close);
  EXPECT_NEAR(
      ratio("{pp: 4}", "    micro_batches: 8\n    schedule: interleaved\n    stage_parts: 2\n"), 1,
      close);
}

TEST(LlmTimes, agree_with_the_simulation_of_overlap_and_recomputation) {
  EXPECT_NEAR(ratio("{tp: 2, pp: 2}",
                    "    micro_batches: 4\n    zero: 1\n    overlap: all\n"
                    "    recompute: full\n"),
              1, close);
  EXPECT_NEAR(ratio("{}", "    micro_batches: 2\n    zero: 3\n"), 1, close);
}

TEST(LlmTimes, agree_with_the_simulation_of_checks) {
  EXPECT_NEAR(ratio("{tp: 2, pp: 2}",
                    "    micro_batches: 4\n    zero: 1\n    gradient_norm: true\n"
                    "    loss_scaling: true\n"),
              1, close);
}

TEST(LlmTimes, agree_with_the_simulation_of_each_exchange_of_keys) {
  for (const std::string how : {"ring", "allgather", "alltoall"})
    EXPECT_NEAR(ratio("{tp: 2, cp: 4}", "    context_exchange: " + how + "\n"), 1, close) << how;
}

TEST(LlmTimes, agree_with_the_simulation_of_ends_that_lack_layers) {
  EXPECT_NEAR(
      ratio("{tp: 2, pp: 2}", "    micro_batches: 4\n    fewer_at_ends: 1\n    recompute: full\n"),
      1, close);
}

// The first of four stages has three of 13 layers, the last one two.
TEST(LlmTimes, agree_with_the_simulation_of_layers_of_different_kinds) {
  const std::string model =
      "{layers: 13, hidden: 2048, heads: 16, latent: {queries: 768, keys: 256, rotary: 64}, "
      "intermediate: 1024, gated: true, experts: 32, top_k: 4, shared_intermediate: 1024, "
      "dense_layers: 1, dense_intermediate: 8192, sequence: 2048, vocabulary: 32000}";
  const std::string options = "    micro_batches: 4\n    zero: 1\n    overlap: all\n";
  EXPECT_NEAR(ratio("{pp: 4, ep: 4}", options, model), 1, close);
}

TEST(LlmTimes, go_on_with_long_collectives_as_these_began) {
  const Scenario scenario = job("{}", "");
  KnownParts known;
  SimulatedPrograms simulated;
  GroupTimes times(scenario, known, simulated);
  Value whole = scenario.resolved;
  whole.set("job",
            Value::from_text("job", "{collective: allreduce, algorithm: nccl, bytes: 3 GiB}"));
  const double expected = simulate(read_tree(whole, "whole").front(), {}).time_s;
  const Algorithm& sum = *find_algorithm("allreduce", "nccl");
  EXPECT_NEAR(times.collective("data", sum, std::uint64_t{3} << 30) / expected, 1, 0.01);
}

// The output layer is on one of four stages, for two micro-batches.
TEST(LlmTimes, are_busy_with_all_layers_and_the_output_layer) {
  const Scenario scenario = job("{pp: 4}", "    micro_batches: 2\n");
  KnownParts known;
  SimulatedPrograms simulated;
  GroupTimes groups(scenario, known, simulated);
  const LlmStep& step = *scenario.job.training->llm;
  const Duration layer =
      step.attention.forward + step.attention.backward + step.mlp.forward + step.mlp.backward;
  const Duration all = 8 * layer + step.head.forward + step.head.backward;
  EXPECT_NEAR(llm_times(scenario, groups).busy_s, 2 * all.count() / 4, 1e-9);
}

// Blom 1958: the largest of 16 standard normals is expected at the quantile 15.625 / 16.25, 1.7688.
TEST(LlmTimes, take_the_slowest_of_all_gpus_with_a_variation) {
  const std::string groups = "{tp: 2, pp: 2}", options = "    micro_batches: 4\n    zero: 1\n";
  const auto times = [&](const std::string& more) {
    const Scenario scenario = job(groups, options + more);
    KnownParts known;
    SimulatedPrograms simulated;
    GroupTimes exchanges(scenario, known, simulated);
    return llm_times(scenario, exchanges);
  };
  const LlmTimes equal = times(""), varied = times("    variation: 0.05\n");
  EXPECT_EQ(equal.slowest_s, 0);
  EXPECT_NEAR(varied.busy_s, equal.busy_s, 1e-9);
  EXPECT_NEAR(varied.update_s, equal.update_s, 1e-9);
  EXPECT_NEAR(varied.slowest_s, 0.05 * 1.7688 * (equal.busy_s + equal.update_s), 1e-6);
  EXPECT_NEAR(ratio(groups, options + "    variation: 0.05\n"), 1, close);
}

const std::string host_work =
    "    step_overhead: 1 ms\n    logging: {every: 4, takes: 8 ms}\n"
    "    garbage_collection: {takes: 0.1 s, together: false}\n"
    "    checkpoint: {every: 1000, rate: 10 GB/s}\n";

// One of 16 ranks collects in a step with the probability 1 - (1 - 1/50)^16. A checkpoint has the
// parameters and 12 bytes of Adam's for each: arXiv:1910.02054, section 3.1.
TEST(LlmTimes, have_the_mean_of_work_of_the_host_that_some_steps_have) {
  const Scenario scenario = job("{tp: 2, pp: 2}", "    micro_batches: 4\n" + host_work);
  const LlmStep& step = *scenario.job.training->llm;
  EXPECT_NEAR(step.host.overhead_s, 1e-3, 1e-12);
  EXPECT_NEAR(step.host.logging_s, 2e-3, 1e-12);
  EXPECT_NEAR(step.host.collection_s, 0.1 * 0.2762023, 1e-6);
  const double layer = 2048.0 * 2048 * 4 + 2048.0 * 8192 * 3 + 2 * 2048;
  const double parameters = 8 * layer + 2 * 2048.0 * 32000 + 2048;
  EXPECT_NEAR(step.host.checkpoint_s, parameters * 14 / 10e9 / 1000, 1e-9);
  EXPECT_NEAR(ratio("{tp: 2, pp: 2}", "    micro_batches: 4\n" + host_work), 1, close);
}

TEST(LlmTimes, wait_for_an_input_that_is_slower_than_the_step) {
  const auto times = [](const std::string& rate) {
    const Scenario scenario =
        job("{tp: 2, pp: 2}", "    micro_batches: 4\n    input: {rate: " + rate + "}\n");
    KnownParts known;
    SimulatedPrograms simulated;
    GroupTimes groups(scenario, known, simulated);
    return llm_times(scenario, groups);
  };
  EXPECT_EQ(times("1000").input_s, 0);
  // Two replicas on each host, of four sequences.
  EXPECT_NEAR(times("2").step_s, 8.0 / 2, 1e-9);
}

TEST(LlmTimes, have_parts_that_add_up) {
  const Scenario scenario = job("{tp: 2, pp: 2}", "    micro_batches: 4\n    zero: 1\n" +
                                                      host_work + "    input: {rate: 2}\n");
  KnownParts known;
  SimulatedPrograms simulated;
  GroupTimes groups(scenario, known, simulated);
  const LlmTimes times = llm_times(scenario, groups);
  const double sum = times.busy_s + times.repeated_s + times.tp_s + times.cp_s + times.ep_s +
                     times.pp_s + times.dp_s + times.bubble_s + times.update_s + times.input_s +
                     times.host.sum();
  EXPECT_NEAR(sum, times.step_s, 1e-9 * times.step_s);
  const std::size_t before = simulated.size();
  llm_times(scenario, groups);
  EXPECT_EQ(simulated.size(), before) << "exchanges are simulated once";
}

}  // namespace
}  // namespace ringscope
