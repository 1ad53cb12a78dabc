// SPDX-License-Identifier: LGPL-2.1-or-later
// Has a run in which collectives inside hosts take as long as equal ones before them the report of
// a full simulation?
#include "sim/insight/skipping_for_test.hpp"

namespace ringscope::known_collectives_test {
namespace {

/// Hosts of eight GPUs, with a NIC each, so many in each of two pods. `host`: more about each.
Scenario llm(const std::string& groups, const std::string& options, const std::string& host = "",
             const std::string& job = "", int hosts_per_pod = 1,
             const std::string& library = "nccl_h100") {
  return scenario_of(fmt::format(
                         "placement: {{hosts: 8x{}, on: gpu}}\ncluster:\n  hosts_per_pod: {}",
                         2 * hosts_per_pod, hosts_per_pod) +
                     R"(
  network: rails
  rails: 8
  pods: 2
  spines: 2
  link: {bandwidth: 400 Gbit/s, latency: 1 us}
  host:
    type: pcie_tree
    sockets: 2
    cores: 8
    memory_bandwidth: 300 GB/s
    socket_link: {bandwidth: 96 GB/s, latency: 100 ns}
    switches_per_socket: 4
    switch_uplink: {bandwidth: 63 GB/s, latency: 150 ns}
    gpus_per_switch: 1
    gpu: {bandwidth: 63 GB/s, latency: 150 ns, memory: 80 GB, memory_bandwidth: 3350 GB/s}
    nics:
      - {switch: 0, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 1, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 2, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 3, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 4, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 5, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 6, bandwidth: 63 GB/s, latency: 150 ns}
      - {switch: 7, bandwidth: 63 GB/s, latency: 150 ns}
    )" + host + R"(
library: )" + library +
                     R"(
job:
  program: llm
  groups: )" + groups +
                     R"(
  options:
    model: {layers: 4, hidden: 8192, heads: 64, sequence: 4096}
    gpu: {flops: 4e14, memory_bandwidth: 3350 GB/s}
    )" + options + "\n  " +
                     job);
}

const std::string nvswitch = "nvswitch: {bandwidth: 450 GB/s, latency: 300 ns}";

void expect_known(const Scenario& scenario, double share) {
  const Report known = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_GT(static_cast<double>(known.skipped_messages),
            share * static_cast<double>(whole.messages));
  EXPECT_EQ(whole.skipped_messages, 0u);
  expect_same(known, whole);
}

TEST(KnownCollectives, tensor_groups_take_the_time_of_the_first_two) {
  expect_known(llm("{tp: 8, pp: 2}", "micro_batches: 8", nvswitch), 0.5);
  expect_known(llm("{tp: 8, dp: 2}", "micro_batches: 2\n    zero: 1", nvswitch), 0.3);
}

TEST(KnownCollectives, both_halves_are_reused) {
  expect_known(llm("{tp: 8, pp: 2}", "micro_batches: 8\n    sequence_parallel: true", nvswitch),
               0.3);
}

// The stream of the exchanges waits for gradients all the time between its first and last ones.
TEST(KnownCollectives, are_reused_beside_a_stream_that_waits) {
  const std::string overlapped = "micro_batches: 8\n    zero: 1\n    overlap: all";
  expect_known(llm("{tp: 8, dp: 2}", overlapped, nvswitch), 0.3);
  expect_known(llm("{tp: 8, dp: 2}", overlapped + "\n    sequence_parallel: true", nvswitch), 0.3);
}

// Activations of the next part come in while a stage computes: calls of MPI make their progress.
TEST(KnownCollectives, are_few_while_messages_need_progress) {
  const Scenario scenario = llm("{tp: 8, pp: 2}", "micro_batches: 4\n    schedule: interleaved",
                                nvswitch, "", 1, "cuda_pinned");
  const Report known = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_LT(static_cast<double>(known.skipped_messages), 0.1 * static_cast<double>(whole.messages));
  expect_same(known, whole);
}

// Without an NVSwitch the groups' messages pass the PCIe links to the NICs.
TEST(KnownCollectives, are_none_where_others_use_the_same_links) {
  const Scenario scenario = llm("{tp: 8, pp: 2}", "micro_batches: 4");
  EXPECT_EQ(with_fluid(scenario, true).skipped_messages, 0u);
}

TEST(KnownCollectives, are_none_where_times_are_random) {
  const std::string options = "micro_batches: 4", noise = "noise: {spread: 0.02}";
  EXPECT_EQ(with_fluid(llm("{tp: 8, dp: 2}", options, nvswitch, noise), true).skipped_messages, 0u);
}

// One GPU of each group comes late each time: all is simulated.
TEST(KnownCollectives, are_none_where_ranks_do_not_begin_at_one_instant) {
  const Scenario scenario = llm("{tp: 8, pp: 2}", "micro_batches: 4", nvswitch,
                                "noise: {stragglers: {ranks: [1, 9], slowdown: 1.5}}");
  const Report known = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_EQ(known.skipped_messages, 0u);
  expect_same(known, whole);
}

// Messages of a pipeline that share a spine set the ranks of a group apart, each time anew: the
// collective behind them is simulated, and those by which they come together again are not all.
TEST(KnownCollectives, count_as_known_where_ranks_begin_nearly_together) {
  const Scenario scenario = llm("{tp: 8, dp: 2, pp: 2}", "micro_batches: 8", nvswitch, "", 2);
  const Report known = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  constexpr double nearly = 1e-5;
  EXPECT_GT(static_cast<double>(known.skipped_messages), 0.5 * static_cast<double>(whole.messages));
  EXPECT_EQ(known.messages, whole.messages);
  EXPECT_NEAR(known.time_s, whole.time_s, nearly * whole.time_s);
  EXPECT_NE(known.time_s, whole.time_s);
  for (std::size_t rank = 0; rank < known.rank_reports.size(); ++rank)
    EXPECT_NEAR(known.rank_reports[rank].finish_s, whole.rank_reports[rank].finish_s,
                nearly * whole.time_s);
}

}  // namespace
}  // namespace ringscope::known_collectives_test
