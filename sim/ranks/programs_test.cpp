// SPDX-License-Identifier: LGPL-2.1-or-later
// Do programs written in YAML take the time that their steps take, on groups, in loops?
#include <fmt/format.h>

#include "algorithms/schedules/schedule.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "sim/tests/llm_for_test.hpp"
#include "sim/tests/programs_for_test.hpp"

namespace ringscope {
namespace {

using programs_for_test::mega;
using programs_for_test::on_hosts;
using programs_for_test::rate;
using programs_for_test::ring;

class Programs : public SimulationTest {};

// Each ring has links of its own: both take what one takes alone.
TEST_F(Programs, run_rings_of_disjoint_groups_at_once) {
  const Report report = run(on_hosts(8, R"(
  groups: {left: [0-3], right: [4, 5, 6, 7]}
  program:
    - {allreduce: 8 MB, group: left}
    - {allreduce: 4 MB, group: right}
)"));
  expect_seconds(finish(report, 3), ring(4, 8 * mega));
  expect_seconds(finish(report, 7), ring(4, 4 * mega));
  EXPECT_EQ(report.messages, 2u * 4 * 2 * 3);
  EXPECT_EQ(report.algbw, 0);
}

// Groups 0 4, 1 5, ... of two racks: four exchanges of half the vector share an uplink, twice.
TEST_F(Programs, run_rings_of_groups_that_share_links_as_long_as_these_take) {
  const Report report = run(on_hosts(8, R"(
  groups: {order: inner-outer, inner: 4, outer: 2}
  program: [{allreduce: 8 MB, group: outer}]
)",
                                     true));
  expect_seconds(report.time_s, 4 * ring(2, 8 * mega));
}

// Each turn waits for the exchange two turns back: of a ring of 15 ms and 10 ms of computing.
TEST_F(Programs, wait_for_a_step_of_an_earlier_turn) {
  const Report report = run(on_hosts(4, R"(
  program:
    - repeat: 4
      steps:
        - {compute: 10 ms, name: part, after: {step: sum, back: 1}}
        - {allreduce: 10 MB, stream: comm, after: part, name: sum}
)"));
  // Exchanges end at 25, 40, 55, 70 ms; turn 3 waits for the first, turn 4 for the second.
  expect_seconds(report.time_s, 10e-3 + 4 * ring(4, 10 * mega));
  expect_seconds(report.streams[0].spent[0].mean_s, 40e-3);
}

// Turns 0, 1, 2 of an outer loop with as many of an inner one.
TEST_F(Programs, loop_inside_loops_as_often_as_the_turn_says) {
  const Report report = run(on_hosts(1, R"(
  program:
    - repeat: 3
      index: i
      steps:
        - repeat: i + 1
          index: j
          steps: [{compute: (1 + j) * 1 ms, when: i != 1}]
)"));
  expect_seconds(report.time_s, (1 + (1 + 2 + 3)) * 1e-3);
}

/// One forward and one backward of a micro-batch, as soon as the pipeline is full.
std::string by_hand(int stages, int micro_batches) {
  return fmt::format(R"(
  groups: {{pp: {}}}
  values: {{m: {}, layers: {}}}
  program:
    - repeat: min(m, size(pp) - 1 - index(pp))
      steps:
        - {{receive: 4096 B, from: previous, group: pp}}
        - {{compute: layers * 1 s}}
        - {{send: 4096 B, to: next, group: pp}}
    - repeat: m - min(m, size(pp) - 1 - index(pp))
      steps:
        - {{receive: 4096 B, from: previous, group: pp}}
        - {{compute: layers * 1 s}}
        - together:
            - {{send: 4096 B, to: next, group: pp}}
            - {{receive: 4096 B, from: next, group: pp, tag: 1}}
        - {{compute: 2 * layers * 1 s}}
        - {{send: 4096 B, to: previous, group: pp, tag: 1}}
    - repeat: min(m, size(pp) - 1 - index(pp))
      steps:
        - {{receive: 4096 B, from: next, group: pp, tag: 1}}
        - {{compute: 2 * layers * 1 s}}
        - {{send: 4096 B, to: previous, group: pp, tag: 1}}
)",
                     stages, micro_batches, 4 / stages);
}

// Each of p stages waits for (p-1)/(m+p-1) of a step of m micro-batches, as those of llm do.
TEST_F(Programs, pipeline_program_has_the_bubble_and_time_of_llm) {
  for (const int micro_batches : {1, 4, 8}) {
    constexpr int stages = 4;
    const Scenario llm =
        llm_for_test::llm(stages, "{pp: 4}", fmt::format("micro_batches: {}", micro_batches));
    const Scenario program = scenario_of(
        "cluster: {network: star, hosts: 4, link: {bandwidth: unlimited, latency: 0 s}, host: "
        "{type: simple, cores: 1}}\nlibrary: {base: ideal, network: {eager_limit: 0 B}}\n"
        "placement: 1x4\njob:" +
        by_hand(stages, micro_batches));
    const Report report = simulate(program, {});
    const double step = 3.0 * (micro_batches + stages - 1);
    expect_seconds(report.time_s, step);
    expect_seconds(report.time_s, simulate(llm, {}).time_s);
    const StreamReport::Spent& computing = report.streams[0].spent[0];
    EXPECT_NEAR(1 - computing.mean_s / report.time_s, (stages - 1.0) / (micro_batches + stages - 1),
                1e-9);
  }
}

/// Two hosts with two ranks each, and a job.
Scenario two_by_two(const std::string& bandwidth, const std::string& job) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: {}, latency: 0 s}}
  host: {{type: simple, cores: 2}}
library: {{base: ideal, network: {{latency: 0 s, eager_limit: 0 B, driver: nic}}, progress: nic}}
placement: 2-2
job:
{})",
                                 bandwidth, job));
}

// Inside a host nothing takes time; between both a ring of two moves half the vector twice.
TEST_F(Programs, sum_in_two_levels_where_ranks_of_a_group_share_hosts) {
  const Report report =
      run(two_by_two("1 GB/s", "  program: [{allreduce: 8 MB, algorithm: two_level}]\n"));
  expect_seconds(report.time_s, ring(2, 8 * mega));
}

// Four layers take 1 s forward and 2 s backward each; on wires without limits, nothing else does.
TEST_F(Programs, large_models_reduce_in_two_levels) {
  const Report report =
      run(two_by_two("unlimited", fmt::format(R"(
  program: llm
  options:
    model: {{layers: 4, hidden: 64, heads: 8, sequence: 32}}
    gpu: {{flops: {}, memory_bandwidth: unlimited}}
    exchange: two_level
)",
                                              llm_for_test::attention + llm_for_test::mlp)));
  expect_seconds(report.time_s, 12);
}

// A torus of 4 x 4: each sends 1 MB to four neighbours at once, over one cable.
TEST_F(Programs, exchange_with_all_neighbours_of_a_grid_at_once) {
  const Report report = run(on_hosts(16, R"(
  groups: {order: x-y, x: 4, y: 4}
  program:
    - repeat: 3
      steps:
        - together:
            - {send: 1 MB, to: next, group: x, around: true}
            - {send: 1 MB, to: previous, group: x, around: true, tag: 1}
            - {send: 1 MB, to: next, group: y, around: true}
            - {send: 1 MB, to: previous, group: y, around: true, tag: 1}
            - {receive: 1 MB, from: previous, group: x, around: true}
            - {receive: 1 MB, from: next, group: x, around: true, tag: 1}
            - {receive: 1 MB, from: previous, group: y, around: true}
            - {receive: 1 MB, from: next, group: y, around: true, tag: 1}
        - {compute: 2 ms}
)"));
  expect_seconds(report.time_s, 3 * (4 * mega / rate + 2e-3));
  EXPECT_EQ(report.messages, 3u * 16 * 4);
}

// Even ranks send along x first, and receive then; odd ones the other way round.
TEST_F(Programs, alternate_between_even_and_odd_ranks) {
  const Report report = run(on_hosts(4, R"(
  program:
    - {send: 1 MB, to: next, around: true, on: {all: even}}
    - {receive: 1 MB, from: previous, around: true}
    - {send: 1 MB, to: next, around: true, on: {all: odd}}
)"));
  expect_seconds(report.time_s, 2 * mega / rate);
}

TEST_F(Programs, compute_as_long_as_a_gpu_takes_for_their_amounts) {
  const Report report = run(on_hosts(1, R"(
  options: {gpu: {flops: 1e12, memory_bandwidth: 1 TB/s}, efficiency: 0.5}
  program:
    - {compute: {flops: 1e9, bytes: 1 MB}}
    - {compute: {flops: 1e6, bytes: 4 GB}}
)"));
  expect_seconds(report.time_s, 2e-3 + 4e-3);
}

// Ranks 0 and 2 send to the first of their list group; the first pipeline stage stores 1 GB.
TEST_F(Programs, do_steps_on_some_ranks_alone) {
  Scenario scenario = on_hosts(4, R"(
  groups: {writers: [3, 1]}
  program:
    - {compute: 7 ms, on: writers}
    - {compute: 2 ms, on: {all: [0, -2]}}
    - {send: 3 MB, to: 1, group: writers, on: {writers: first}}
    - {receive: 3 MB, from: 0, group: writers, on: {writers: last}}
)");
  const Report report = run(scenario);
  expect_seconds(finish(report, 0), 2e-3);
  expect_seconds(finish(report, 1), 7e-3 + 3e-3);
  expect_seconds(finish(report, 2), 2e-3);
}

// Each rank begins when it begins: nothing at the start makes it wait for the others.
TEST_F(Programs, let_ranks_begin_when_they_do) {
  Scenario late = on_hosts(4, R"(
  skew: 1 s
  program: [{compute: 1 ms}]
)");
  const Report report = run(late);
  EXPECT_NE(finish(report, 0), finish(report, 1));
}

TEST_F(Programs, cyclic_wait_is_reported_with_its_ranks) {
  try {
    run(on_hosts(2, R"(
  program:
    - {send: 1 MB, to: next, around: true}
    - {receive: 1 MB, from: previous, around: true}
)"));
    FAIL() << "both send first";
  } catch (const DeadlockError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ringscope
