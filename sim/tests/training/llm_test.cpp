// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a step of a large model's training take what the papers' formulas say?
#include "sim/tests/llm_for_test.hpp"

namespace ringscope {
namespace {

class LlmTime : public SimulationTest {};

using namespace llm_for_test;

void expect_parts_to_add_up(const Report& report) {
  ASSERT_TRUE(report.training.has_value());
  const TrainingReport& t = *report.training;
  EXPECT_NEAR(t.busy_s + t.exposed_s + t.bubble_s + t.input_s + t.other_s, t.step_s,
              1e-9 * t.step_s);
}

TEST_F(LlmTime, one_gpu_takes_the_time_of_its_operations) {
  expect_seconds(run(llm(1, "{}", "micro_batches: 2")).time_s, 2 * layers * (1 + 2));
}

// Blom 1958: the slowest of 4 is expected at the quantile 3.625 / 4.25, 1.0491 deviations.
TEST_F(LlmTime, has_the_slowest_gpu_in_a_row_with_a_variation) {
  const Report report = simulate(llm(4, "{pp: 2}", "variation: 0.1\n    step_overhead: 3 s"), {});
  ASSERT_TRUE(report.training.has_value());
  const TrainingReport& t = *report.training;
  const double pass = layers / 2 * (1 + 2);
  EXPECT_NEAR(t.busy_s, pass, 1e-6);
  EXPECT_NEAR(t.slowest_s.value_or(0), 0.10491 * pass, 1e-4);
  ASSERT_TRUE(t.host.has_value());
  EXPECT_NEAR(t.busy_s + *t.slowest_s + t.host->sum() + t.exposed_s + t.bubble_s + t.other_s,
              t.step_s, 1e-9);
  EXPECT_FALSE(simulate(llm(4, "{pp: 2}", ""), {}).training->slowest_s.has_value());
}

// The input prepares one step's sequences after another, and the last step follows them.
TEST_F(LlmTime, waits_for_an_input_that_is_slower_than_the_step) {
  const double pass = layers * (1 + 2), prepares = 4 * pass;
  const Report report =
      simulate(llm(2, "{}", fmt::format("steps: 3\n    input: {{rate: {}}}", 1 / prepares)), {});
  expect_seconds(report.time_s, 3 * prepares + pass);
  ASSERT_TRUE(report.training.has_value());
  EXPECT_NEAR(report.training->input_s, (3 * prepares - 2 * pass) / 3, 1e-9);
}

TEST_F(LlmTime, has_the_work_of_the_host_in_a_row) {
  const Report report =
      simulate(llm(4, "{pp: 2}", "step_overhead: 3 s\n    logging: {every: 5, takes: 10 s}"), {});
  ASSERT_TRUE(report.training.has_value());
  const TrainingReport& t = *report.training;
  EXPECT_NEAR(t.busy_s, layers / 2 * (1 + 2), 1e-6);
  ASSERT_TRUE(t.host.has_value());
  EXPECT_NEAR(t.host->sum(), 3 + 2, 1e-9);
  EXPECT_NEAR(t.busy_s + t.host->sum() + t.exposed_s + t.bubble_s + t.other_s, t.step_s, 1e-9);
}

// Huang et al. 2018, and Narayanan et al. 2021, section 2.2: the bubble is (p-1)/m of the work, so
// (p-1)/(m+p-1) of the step, with both schedules.
TEST_F(LlmTime, has_a_bubble_of_one_less_than_the_stages_micro_batches) {
  for (const std::string schedule : {"gpipe", "1f1b"})
    for (const int m : {1, 4, 6})
      for (const int p : {2, 4}) {
        SCOPED_TRACE(fmt::format("{}, {} micro-batches, {} stages", schedule, m, p));
        const Report report =
            simulate(llm(p, fmt::format("{{pp: {}}}", p),
                         fmt::format("schedule: {}\n    micro_batches: {}", schedule, m)),
                     {});
        const double stage = layers / p * (1 + 2);
        expect_seconds(report.time_s, (m + p - 1) * stage);
        ASSERT_TRUE(report.training.has_value());
        EXPECT_NEAR(1 - report.training->efficiency, (p - 1.0) / (m + p - 1), 1e-9);
        EXPECT_NEAR(report.training->bubble_s / report.training->busy_s, (p - 1.0) / m, 1e-9);
        expect_parts_to_add_up(report);
      }
}

// Four sums a layer and micro-batch; a ring sends 2(t-1)/t of the activation each.
double tensor_seconds(double t, double bandwidth) {
  return layers * 4 * 2 * (t - 1) / t * activation / bandwidth;
}

// Narayanan et al. 2021, section 2.2: with v parts of each stage the bubble is (p-1)/(v m) of the
// work.
TEST_F(LlmTime, has_a_bubble_that_the_parts_of_a_stage_divide) {
  const int depth = 8;
  for (const int p : {2, 4})
    for (const int v : {2, depth / p})
      for (const int m : {p, 2 * p, 3 * p}) {
        SCOPED_TRACE(fmt::format("{} micro-batches, {} stages of {} parts", m, p, v));
        const std::string options =
            fmt::format("schedule: interleaved\n    stage_parts: {}\n    micro_batches: {}", v, m);
        const Report report =
            simulate(llm(p, fmt::format("{{pp: {}}}", p), options, "unlimited", depth), {});
        const double part = (1 + 2) * static_cast<double>(depth) / p / v;
        expect_seconds(report.time_s, (m * v + p - 1) * part);
        ASSERT_TRUE(report.training.has_value());
        EXPECT_NEAR(report.training->bubble_s / report.training->busy_s, (p - 1.0) / v / m, 1e-9);
        expect_parts_to_add_up(report);
      }
}

// A stage waits for all but what it computes, until its own end: that of stage s comes when the
// gradients of the last micro-batch have s stages to go.
TEST_F(LlmTime, stage_time_is_split_by_cause_of_waiting) {
  const int p = 4, m = 6;
  for (const std::string schedule : {"gpipe", "1f1b"}) {
    SCOPED_TRACE(schedule);
    const Report report =
        simulate(llm(p, fmt::format("{{pp: {}}}", p),
                     fmt::format("schedule: {}\n    micro_batches: {}", schedule, m)),
                 {});
    double sum = 0;
    for (int s = 0; s < p; ++s) {
      const auto& groups = report.rank_reports[static_cast<std::size_t>(s)].groups;
      const auto pipeline = std::find_if(
          groups.begin(), groups.end(), [](const auto& group) { return group.name == "pipeline"; });
      ASSERT_NE(pipeline, groups.end());
      expect_seconds(pipeline->partner_s, (p - 1) * layers / p * 3 - s * layers / p * 2);
      EXPECT_NEAR(pipeline->time_s, pipeline->partner_s, 1e-9);
      sum += pipeline->partner_s;
    }
    ASSERT_TRUE(report.training.has_value());
    for (const GroupReport& mean : report.training->groups)
      if (mean.name == "pipeline") expect_seconds(mean.partner_s, sum / p);
  }
}

TEST_F(LlmTime, in_tensor_groups_is_that_of_their_sums) {
  for (const std::string steps : {"1", "2"}) {
    const Report report =
        simulate(llm(4, "{tp: 4}", fmt::format("steps: {}", steps), "1 kB/s"), {});
    ASSERT_TRUE(report.training.has_value());
    expect_seconds(report.training->busy_s, layers * 3 / 4);
    expect_seconds(report.training->exposed.tp, tensor_seconds(4, 1e3));
    expect_seconds(report.training->exposed_s, tensor_seconds(4, 1e3));
    expect_parts_to_add_up(report);
    for (const RankReport& rank : report.rank_reports) {
      ASSERT_EQ(rank.groups.size(), 3U);
      for (const GroupReport& group : rank.groups) {
        if (group.name == "tensor") expect_seconds(group.time_s, tensor_seconds(4, 1e3));
        if (group.name == "pipeline") {
          EXPECT_EQ(group.time_s, 0);
        }
      }
    }
  }
}

// Rajbhandari et al. 2020, section 3.1: 2 + 2 + 12 bytes for each parameter; two ranks share them.
TEST_F(LlmTime, comes_with_the_memory_of_the_fullest_stage) {
  const Report report = simulate(llm(2, "{pp: 2}", "micro_batches: 4"), {});
  ASSERT_TRUE(report.training.has_value() && report.training->memory.has_value());
  const StageMemory& memory = *report.training->memory;
  const double own = layers / 2 * parameters;
  EXPECT_EQ(memory.stage, 0);  // it keeps the activations of two micro-batches, the other of one
  EXPECT_DOUBLE_EQ(memory.parameters, 2 * own);
  EXPECT_DOUBLE_EQ(memory.gradients, 2 * own);
  EXPECT_DOUBLE_EQ(memory.optimiser, 12 * own);
  EXPECT_GT(memory.activations, 0);
}

// arXiv:2401.08156, section 2: what is used, by what the allocator has, is 1 - fragmentation.
TEST_F(LlmTime, comes_with_what_a_framework_keeps_beside) {
  const Report report = simulate(llm(2, "{pp: 2}",
                                     "micro_batches: 4\n    gradient: 4 B\n    gradient_copy: 2 B\n"
                                     "    optimiser: 6 B\n    fragmentation: 0.2"),
                                 {});
  const StageMemory& memory = *report.training->memory;
  const double own = layers / 2 * parameters;
  EXPECT_DOUBLE_EQ(memory.gradients, (4 + 2) * own);
  EXPECT_DOUBLE_EQ(memory.optimiser, 6 * own);
  EXPECT_DOUBLE_EQ(memory.sum() - memory.reserved, 0.8 * memory.sum());
}

// A ring of n ranks takes 2(n-1) steps for one item of 2 bytes for each rank: two items, two ranks.
TEST_F(LlmTime, sums_checks_over_each_group_with_other_gradients) {
  const double bandwidth = 1e3, sum = 2 * 2 / bandwidth;
  const auto more = [&](int ranks, const char* groups, const char* zero, const char* checks) {
    const auto step = [&](const char* options) {
      return time_of(llm(ranks, groups, fmt::format("zero: {}{}", zero, options), "1 kB/s"));
    };
    return step(checks) - step("");
  };
  const char *norm = "\n    gradient_norm: true",
             *both = "\n    gradient_norm: true\n    loss_scaling: true";
  EXPECT_NEAR(more(2, "{tp: 2}", "0", norm), sum, 1e-9);
  EXPECT_NEAR(more(2, "{pp: 2}", "0", norm), sum, 1e-9);
  EXPECT_NEAR(more(2, "{dp: 2}", "0", norm), 0, 1e-9);  // all have the same gradients
  EXPECT_NEAR(more(2, "{dp: 2}", "1", norm), sum, 1e-9);
  EXPECT_NEAR(more(2, "{dp: 2}", "3", norm), sum, 1e-9);
  EXPECT_NEAR(more(4, "{tp: 2, pp: 2}", "0", both), 2 * 2 * sum, 1e-9);
}

TEST_F(LlmTime, tp_step_is_its_operations_and_four_allreduces_per_layer) {
  for (const int t : {2, 4}) {
    const std::string groups = fmt::format("{{tp: {}}}", t);
    expect_seconds(time_of(llm(t, groups, "zero: 0", "1 kB/s")),
                   layers * 3 / t + tensor_seconds(t, 1e3));
    expect_seconds(time_of(llm(t, groups, "sequence_parallel: true", "1 kB/s")),
                   layers * 3 / t + tensor_seconds(t, 1e3));
  }
}

// The same job inside a host, across its sockets, and between two hosts.
TEST_F(LlmTime, tp_across_hosts_slows_by_the_ratio_of_links) {
  const auto placed = [](const std::string& placement) {
    return time_of(scenario_of("cluster: " + two_hosts + "\nlibrary: " + handshakes +
                               "\nplacement: " + placement +
                               R"(
job:
  program: llm
  groups: {tp: 2}
  options:
    model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
    gpu: {flops: 1e15, memory_bandwidth: unlimited}
)"));
  };
  const double inside = placed("2-0"), across = placed("1-1");
  EXPECT_NEAR(inside, tensor_seconds(2, 12e3), 1e-6 * inside);
  EXPECT_NEAR(across / inside, 12, 1e-5);
}

// Gradients of two bytes are summed by a ring when the last micro-batch is through.
TEST_F(LlmTime, dp_step_ends_with_the_gradient_exchange) {
  const double gradients = 2 * layers * parameters, rate = 1e5;
  for (const int d : {2, 4}) {
    const double exchange = 2.0 * (d - 1) / d * gradients / rate;
    expect_seconds(time_of(llm(d, "{}", "zero: 0", "100 kB/s")), layers * 3 + exchange);
    // ZeRO 1 sends as much, and each rank updates its part.
    const Report cut = simulate(llm(d, "{}", "zero: 1\n    update: 1000 us/B", "100 kB/s"), {});
    expect_seconds(cut.time_s, layers * 3 + exchange + gradients / d * 1e-3);
    ASSERT_TRUE(cut.training.has_value());
    expect_seconds(cut.training->busy_s, layers * 3 + gradients / d * 1e-3);
    expect_seconds(cut.training->exposed.dp, exchange);
    expect_parts_to_add_up(cut);
  }
}

// A stage sends an activation on for each micro-batch, and gets its gradient back.
TEST_F(LlmTime, pipeline_counts_forward_and_backward_of_a_micro_batch) {
  const double way = activation / 1e3;
  const Report report = run(llm(2, "{pp: 2}", "micro_batches: 1", "1 kB/s"));
  expect_seconds(report.time_s, 2 * layers / 2 * 3 + 2 * way);
  ASSERT_TRUE(report.training.has_value());
  expect_seconds(report.training->busy_s, layers / 2 * 3);
  expect_parts_to_add_up(report);
}

// Where the memory is the bound: each matrix is read once, what comes in and goes out too.
TEST_F(LlmTime, is_bound_by_memory_where_that_is_slower) {
  Scenario scenario = scenario_of(R"(
cluster:
  network: star
  hosts: 2
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 1}
library: ideal
placement: 1-0
job:
  program: llm
  options:
    model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
    gpu: {flops: 1e15, memory_bandwidth: 1 MB/s}
)");
  const double bytes = 12 * hidden * hidden * 2 + 2 * 2 * activation;
  expect_seconds(run(scenario).time_s, layers * 3 * bytes / 1e6);
}

class RingAttentionTime : public SimulationTest {};

// A layer's forward pass takes a second, of which the square of the sequence is this.
constexpr double square = 4 * tokens * tokens * hidden / (attention + mlp);
/// Bytes of the keys and values of all tokens.
constexpr double keys = 2 * tokens * hidden * 2;

/// Seconds of the rest of a layer, forward and backward, on each of `ranks`.
double rest(double ranks) { return 3 * (1 - square) / ranks; }

/// A ring's sum of all gradients, over the ranks of a context group too.
double exchange(double ranks, double rate) {
  return 2 * (ranks - 1) / ranks * layers * 2 * parameters / rate;
}

// arXiv:2310.01889, section 3: nothing of the ring shows while a block takes longer than its way;
// backward, the last gradients go home when all is computed.
TEST_F(RingAttentionTime, hides_the_way_of_keys_behind_the_blocks) {
  for (const int c : {2, 4}) {
    const double rate = 1e7, way = keys / c / rate;
    const double block = square / c / c;
    ASSERT_GT(block, 2 * way);
    expect_seconds(time_of(llm(c, fmt::format("{{cp: {}}}", c), "zero: 0", "10 MB/s")),
                   layers * (rest(c) + 3 * c * block + way) + exchange(c, rate));
  }
}

// On two ranks: forward a block of keys, and what is computed of it; backward a block of keys and
// two of gradients share one link.
TEST_F(RingAttentionTime, is_the_way_of_the_blocks_where_that_is_longer) {
  const double rate = 1e3, way = keys / 2 / rate, block = square / 4;
  ASSERT_GT(way, 2 * block);
  expect_seconds(time_of(llm(2, "{cp: 2}", "zero: 0", "1 kB/s")),
                 layers * (rest(2) + (way + block) + 3 * way) + exchange(2, rate));
}

// Jacobs et al. 2023, section 3, and arXiv:2407.21783, section 3.3.2: nothing is hidden. Each rank
// sends (c-1)/c of queries, keys and values and of the result, in both directions; or passes c-1
// parts of the keys on, twice, and of their gradients once.
TEST_F(RingAttentionTime, waits_for_collectives_in_place_of_the_ring) {
  const double c = 4, rate = 1e5, compute = rest(c) + 3 * square / c;
  const double heads = 2 * (c - 1) / c * (keys + keys) / c / rate;
  const double gathers = 3 * (c - 1) * keys / c / rate;
  for (const auto& [how, way] : {std::pair{"alltoall", heads}, {"allgather", gathers}})
    expect_seconds(time_of(llm(4, "{cp: 4}", fmt::format("zero: 0\n    context_exchange: {}", how),
                               "100 kB/s")),
                   layers * (compute + way) + exchange(c, rate));
}

// The ranks of a context group are replicas of the parameters, and share a sequence.
TEST_F(RingAttentionTime, comes_with_the_parameters_on_each_rank) {
  const Report report = simulate(llm(4, "{cp: 2}", "zero: 1", "10 MB/s"), {});
  EXPECT_EQ(report.training->replica, 2);
  EXPECT_DOUBLE_EQ(report.training->memory->optimiser, 12 * layers * parameters / 4);
}

}  // namespace
}  // namespace ringscope
