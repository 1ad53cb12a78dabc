// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the blocks of a kernel keep to their host's pace, to PCIe's packets, to their GPU's
// generation, to what one of them sends between hosts, and to the slices of a chunk?
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::block_rules_test {
namespace {

constexpr double us = 1e-6, kib = 1024, mib = 1024 * kib;

struct Machine {
  int hosts = 1;
  std::string nvlink = "nvlink: {bandwidth: 10 GB/s, latency: 1 us}";
  std::string generation = "generation: ampere";
  std::string rules = "issue: 0 s";
  double carries_over_pcie = 1;
  std::string hop = "2 us";
  std::string block = "4 GB/s";
  std::string ll_hop = "2 us";
};

/// Two GPUs of one host, or one of each of several; their PCIe carries 2 GB/s, a NIC 100.
Scenario two_gpus(const Machine& machine, const std::string& job) {
  return scenario_of(fmt::format(
      R"(
cluster:
  network: star
  hosts: {0}
  link: {{bandwidth: 100 GB/s, latency: 1 us}}
  host:
    type: pcie_tree
    cores: 4
    switch_uplink: {{bandwidth: 100 GB/s, latency: 1 us}}
    gpu: {{bandwidth: {1}, latency: 1 us}}
    {2}
library:
  base: cuda_pinned
  blocks:
    launch: 5 us
    {3}
    {4}
    LL: {{start: 3 us, hop: {10}, block: {9}}}
    LL128: {{start: 3 us, hop: 2 us, block: 4 GB/s}}
    Simple: {{start: 3 us, hop: {7}, carries_over_pcie: {5}, block: {9}}}
placement: {{hosts: {6}, on: gpu}}
job: {8}
)",
      machine.hosts, machine.hosts > 1 ? "100 GB/s" : "2 GB/s", machine.nvlink, machine.generation,
      machine.rules, machine.carries_over_pcie,
      machine.hosts > 1 ? fmt::format("1x{}", machine.hosts) : "2", machine.hop, job, machine.block,
      machine.ll_hop));
}

double time_of(const Machine& machine, const std::string& job) {
  return run_again(two_gpus(machine, job)).time_s;
}

/// A ring of one channel: each of two hops takes half of it.
constexpr double bytes = 65536;
std::string allreduce(int gpus_per_thread = 1, const char* more = "") {
  return fmt::format(
      "{{collective: allreduce, algorithm: nccl, bytes: {} B, options: {{algorithm: ring, "
      "protocol: Simple, channels: 1, gpus_per_thread: {}}}{}}}",
      bytes, gpus_per_thread, more);
}

class BlockRules : public testing::Test {};

TEST_F(BlockRules, a_call_takes_no_less_than_its_hosts_thread_needs_for_all_kernels) {
  const Machine slow_host = {.rules = "issue: 30 us"};
  const double alone = time_of({}, allreduce());
  EXPECT_NEAR(alone, (5 + 3 + 2 * (2 + 1)) * us + bytes / 4e9, 1e-12);
  EXPECT_NEAR(time_of(slow_host, allreduce()), std::max(alone, 30 * us), 1e-12);
  EXPECT_NEAR(time_of(slow_host, allreduce(4)), 4 * 30 * us, 1e-12);
  EXPECT_NEAR(time_of({}, allreduce(4)), alone, 1e-12);
}

TEST_F(BlockRules, a_cuda_graph_launches_kernels_at_its_own_cost_and_pace) {
  const char* in_graph = ", cuda_graph: true";
  const Machine slow_host = {.rules = "issue: 30 us"};
  const double alone = time_of({}, allreduce()), saved = (5 - 0.5) * us;
  EXPECT_NEAR(time_of({}, allreduce(1, in_graph)), alone - saved, 1e-12);
  EXPECT_NEAR(time_of(slow_host, allreduce(4, in_graph)), alone - saved, 1e-12);
  EXPECT_NEAR(time_of({}, allreduce(1, ", cuda_graph: false")), alone, 1e-12);
  const auto program = [](const char* more) {
    return fmt::format("{{program: [{{repeat: 3, steps: [{{allreduce: {} B}}]}}]{}}}", bytes, more);
  };
  EXPECT_NEAR(time_of({}, program("")) - time_of({}, program(in_graph)), 3 * saved, 1e-12);
}

TEST_F(BlockRules, without_an_nvlink_data_share_pcie_with_their_packets_headers) {
  const auto over_pcie = [](double carries) {
    return time_of({.nvlink = "gpus_per_switch: 2", .carries_over_pcie = carries}, allreduce());
  };
  EXPECT_NEAR(over_pcie(0.5) - over_pcie(1), bytes / (2e9 * 0.5) - bytes / 2e9, 1e-12);
}

// A ring of two goes over the network twice; the messages of its channels go at the same time.
TEST_F(BlockRules, messages_between_hosts_share_the_thread_that_serves_nics) {
  const auto takes = [](const char* hop, int channels) {
    return time_of({.hosts = 2, .hop = hop},
                   fmt::format("{{collective: allreduce, algorithm: nccl, bytes: {} B, options: "
                               "{{algorithm: ring, protocol: Simple, channels: {}}}}}",
                               channels * bytes, channels));
  };
  for (const int channels : {1, 2, 4})
    EXPECT_NEAR(takes("2 us, message_gap: 10 us", channels) - takes("2 us", channels),
                2 * channels * 10 * us, 1e-12)
        << channels;
  // NCCL's own sockets: the thread copies each byte. Each hop has half of a channel's.
  const char* copies =
      "2 us, message_gap: [{up_to: 1 KiB, time: 5 us}, {time: 10 us, cost: 1 ns/B}]";
  EXPECT_NEAR(takes(copies, 1) - takes("2 us", 1), 2 * (10 * us + bytes / 2 * 1e-9), 1e-12);
}

// A protocol has buffers of its own: data of a later kernel wait in theirs until it begins.
TEST_F(BlockRules, a_kernel_waits_for_its_own_data_however_early_those_of_the_next_come) {
  const auto takes = [](const char* ll_hop, const char* more) {
    return time_of({.hosts = 2, .hop = "1 ms", .ll_hop = ll_hop},
                   fmt::format("{{program: [{{broadcast: 16 MiB}}{}]}}", more));
  };
  const double alone = takes("2 us", "");
  for (const char* ll_hop : {"2 us", "900 us"})
    EXPECT_NEAR(takes(ll_hop, ", {broadcast: 1 KiB}") - alone, (5 + 3) * us, 1e-12) << ll_hop;
}

// NCCL's tables grant a channel of a tree 24 GB/s on Ampere and 38.7 on Hopper.
TEST_F(BlockRules, block_bandwidth_follows_the_generations_table) {
  const double measured = time_of({}, allreduce());
  const Machine same = {.generation = "generation: hopper\n    measured_on: hopper"};
  const Machine scaled = {.generation = "generation: hopper\n    measured_on: ampere"};
  EXPECT_NEAR(time_of(same, allreduce()), measured, 1e-12);
  EXPECT_NEAR(time_of(scaled, allreduce()) - measured, bytes / (4e9 * 38.7 / 24) - bytes / 4e9,
              1e-12);
}

TEST_F(BlockRules, a_channels_sends_between_hosts_have_a_rate_of_their_own) {
  const auto at = [](const char* rate) {
    return time_of({.hosts = 2, .rules = fmt::format("exchange_between_hosts: {}", rate)},
                   "{collective: sendrecv, algorithm: nccl, bytes: 1 MiB, options: {channels: 1}}");
  };
  constexpr double one = 1 << 20;
  EXPECT_NEAR(at("1 GB/s") - at("2 GB/s"), one / 1e9 - one / 2e9, 1e-12);
  EXPECT_NEAR(at("8 GB/s"), at("4 GB/s"), 1e-12);  // the block's own
}

/// GPU 0 sends to GPU 1 as a step of a program, before which GPU 1 computes.
std::string lone_send(double size, const std::string& late = "0 s") {
  return fmt::format(
      "{{program: [{{send: {0} B, to: 1, on: {{all: 0}}}}, {{compute: {1}, on: {{all: 1}}}}, "
      "{{receive: {0} B, from: 0, on: {{all: 1}}}}]}}",
      size, late);
}
const std::vector<double> sizes_of_sends = {1 * kib, 64 * kib, 1 * mib, 9 * mib, 64 * mib};

TEST_F(BlockRules, a_block_that_sends_for_a_group_may_begin_sooner) {
  const Machine sooner = {.rules = "issue: 0 s\n    exchange_start: 1 us"};
  const std::string exchange = "{collective: sendrecv, algorithm: nccl, bytes: 64 KiB}";
  EXPECT_NEAR(time_of({}, exchange) - time_of(sooner, exchange), (3 - 1) * us, 1e-12);
  EXPECT_NEAR(time_of({}, allreduce()), time_of(sooner, allreduce()), 1e-12);
}

// A send and a receive have half of a block's threads each.
TEST_F(BlockRules, lone_send_of_a_program_takes_as_long_as_sendrecv_with_blocks_twice_as_fast) {
  for (const Machine& machine : {Machine{}, Machine{.nvlink = "gpus_per_switch: 2"},
                                 Machine{.hosts = 2}, Machine{.hosts = 2, .hop = "30 us"}})
    for (const double size : sizes_of_sends) {
      SCOPED_TRACE(fmt::format("{} hosts, {} B", machine.hosts, size));
      Machine twice = machine;
      if (machine.hosts == 1) twice.block = "8 GB/s";
      const std::string both =
          fmt::format("{{collective: sendrecv, algorithm: nccl, bytes: {} B}}", size);
      EXPECT_NEAR(time_of(machine, lone_send(size)), time_of(twice, both), 1e-12);
    }
}

TEST_F(BlockRules, exchange_copies_its_last_chunk_once_all_of_it_has_come) {
  const auto takes = [](const char* cost, int size) {
    return time_of({.block = fmt::format("unlimited{}", cost)},
                   fmt::format("{{collective: sendrecv, algorithm: nccl, bytes: {} KiB, options: "
                               "{{channels: 1}}}}",
                               size));
  };
  // LL copies each line at once; a chunk over NVLink has 512 KiB.
  for (const auto& [sent, copied] : {std::pair{16, 0}, {128, 128}, {512, 512}, {2048, 512}})
    EXPECT_NEAR(takes(", copy: 1 GB/s", sent) - takes("", sent), copied * kib / 1e9, 1e-12) << sent;
}

// The GPU's memory has a byte of an exchange four times, one of a ring three times.
TEST_F(BlockRules, exchanges_of_a_gpu_share_three_quarters_of_what_its_rings_have) {
  const auto takes = [](int size) {
    return time_of({.block = "unlimited, gpu: 4 GB/s"},
                   fmt::format("{{collective: sendrecv, algorithm: nccl, bytes: {} MiB}}", size));
  };
  EXPECT_NEAR(takes(3) - takes(1), 2 * mib / 3e9, 1e-12);
}

// Up to 16 MiB a pair of one NVLink has a channel, then two.
TEST_F(BlockRules, a_lone_send_takes_a_hop_and_its_bytes_on_the_channels_of_its_pair) {
  EXPECT_NEAR(time_of({}, lone_send(0)), (5 + 3 + 2 + 1) * us, 1e-12);
  EXPECT_NEAR(time_of({}, lone_send(64 * kib)), (5 + 3 + 2 + 1) * us + 64 * kib / 4e9, 1e-12);
  EXPECT_NEAR(time_of({}, lone_send(64 * mib)), (5 + 3 + 2 + 1) * us + 32 * mib / 4e9, 1e-12);
}

// The channel has room for eight chunks of 512 KiB over an NVLink.
TEST_F(BlockRules, a_send_that_fits_does_not_wait_for_its_receiver) {
  const auto finish = [](double size, int rank) {
    const Report report = run_again(two_gpus({}, lone_send(size, "1 s")));
    return report.rank_reports[static_cast<std::size_t>(rank)].finish_s;
  };
  const double began = (5 + 3) * us, hop = (2 + 1) * us, room = 8 * 512 * kib;
  EXPECT_NEAR(finish(room, 0), began, 1e-12);
  EXPECT_NEAR(finish(room, 1), 1 + began, 1e-12);
  // The receiver's word, all but the room that has gone and the room that may stay, and its word.
  EXPECT_NEAR(finish(3 * room, 0), 1 + began + hop + room / 4e9 + 2 * hop, 1e-12);
  EXPECT_NEAR(finish(3 * room, 1), 1 + began + hop + 2 * room / 4e9 + hop, 1e-12);
  EXPECT_NEAR(finish(1.5 * room, 0), 1 + began + hop, 1e-12);
  EXPECT_NEAR(finish(1.5 * room, 1), 1 + began + hop + room / 2 / 4e9 + hop, 1e-12);
}

// The short one goes by LL, which is quicker; its receiver takes it second.
TEST_F(BlockRules, messages_of_a_pair_come_in_their_order_whatever_they_go_by) {
  const auto program = [](const char* first, const char* second) {
    return fmt::format(
        "{{program: [{{send: {0}, to: 1, on: {{all: 0}}}}, {{send: {1}, to: 1, on: {{all: 0}}}}, "
        "{{compute: 1 s, on: {{all: 1}}}}, {{receive: {0}, from: 0, on: {{all: 1}}}}, {{receive: "
        "{1}, from: 0, on: {{all: 1}}}}]}}",
        first, second);
  };
  EXPECT_NEAR(time_of({}, program("1 MiB", "1 KiB")), 1 + 2 * (5 + 3) * us, 1e-12);
  EXPECT_NEAR(time_of({}, program("1 KiB", "1 MiB")), 1 + 2 * (5 + 3) * us, 1e-12);
}

// One call with two messages of a pair: the second one's bytes follow the first one's.
TEST_F(BlockRules, messages_of_a_pair_in_one_call_go_one_after_the_other) {
  const double first = 12 * mib, second = 9 * mib;
  const std::string both = fmt::format(
      "{{program: [{{together: [{{send: {0} B, to: 1}}, {{send: {1} B, to: 1}}], on: {{all: 0}}}}, "
      "{{together: [{{receive: {0} B, from: 0}}, {{receive: {1} B, from: 0}}], on: {{all: 1}}}}]}}",
      first, second);
  EXPECT_NEAR(time_of({}, both), (5 + 3 + 2 + 1) * us + (first + second) / 4e9, 1e-12);
}

/// Job of a ring by Simple on two GPUs, with a chunk of so many bytes for each hop.
std::string ring(const char* collective, double chunk, int channels = 1) {
  return fmt::format(
      "{{collective: {}, algorithm: nccl, bytes: {} B, options: {{algorithm: ring, protocol: "
      "Simple, channels: {}}}}}",
      collective, 2 * chunk * channels, channels);
}

/// A hop of a chunk at a rate, its first slice half of it and at least 32 KiB.
double hop_in_slices(double latency, double chunk, double rate) {
  const double first = std::min(chunk, std::max(chunk / 2, 32 * kib));
  return std::max(chunk / rate, latency + first / rate);
}

TEST_F(BlockRules, the_second_slice_of_a_chunk_hides_the_first_ones_hop_over_pcie) {
  const Machine quick = {.nvlink = "gpus_per_switch: 2"};
  const Machine slow = {.nvlink = "gpus_per_switch: 2", .hop = "100 us"};
  for (const double chunk : {16 * kib, 32 * kib, 48 * kib, 256 * kib}) {
    const std::string job = ring("allreduce", chunk);
    EXPECT_NEAR(time_of(quick, job), 8 * us + 2 * hop_in_slices(4 * us, chunk, 2e9), 1e-12);
    EXPECT_NEAR(time_of(slow, job), 8 * us + 2 * hop_in_slices(102 * us, chunk, 2e9), 1e-12);
  }
  for (const char* collective : {"allgather", "reduce_scatter"})
    EXPECT_NEAR(time_of(slow, ring(collective, 256 * kib)),
                8 * us + hop_in_slices(102 * us, 256 * kib, 2e9), 1e-12);
}

TEST_F(BlockRules, hidden_slice_depends_on_its_shared_bandwidth) {
  const Machine slow = {.nvlink = "gpus_per_switch: 2", .hop = "100 us"};
  EXPECT_NEAR(time_of(slow, ring("allreduce", 128 * kib, 2)),
              8 * us + 2 * hop_in_slices(102 * us, 128 * kib, 1e9), 1e-12);
}

TEST_F(BlockRules, a_hop_between_hosts_is_hidden_too) {
  const auto over_cables = [](double chunk) {
    return time_of({.hosts = 2, .hop = "100 us"}, ring("allreduce", chunk));
  };
  EXPECT_NEAR(over_cables(256 * kib) - over_cables(32 * kib), 2 * (128 - 32) * kib / 4e9, 1e-12);
}

TEST_F(BlockRules, over_nvlinks_and_in_one_slice_nothing_is_hidden) {
  EXPECT_NEAR(time_of({.hop = "100 us"}, ring("allreduce", 256 * kib)),
              8 * us + 2 * (101 * us + 256 * kib / 4e9), 1e-12);
  EXPECT_NEAR(time_of({.nvlink = "gpus_per_switch: 2", .hop = "100 us"},
                      "{collective: broadcast, algorithm: nccl, bytes: 256 KiB, options: "
                      "{protocol: Simple, channels: 1}}"),
              8 * us + 102 * us + 256 * kib / 2e9, 1e-12);
}

TEST_F(BlockRules, steps_in_slices_that_are_skipped_take_as_long) {
  const Scenario scenario = two_gpus({.hosts = 24, .hop = "100 us"},
                                     "{collective: allreduce, algorithm: nccl, bytes: 6000001 B, "
                                     "options: {algorithm: ring, protocol: Simple, channels: 3}}");
  RunOptions every_step;
  every_step.skip = false;
  const double skipped = run_again(scenario).time_s;
  EXPECT_NEAR(skipped, simulate(scenario, every_step).time_s, 1e-9 * skipped);
}

}  // namespace
}  // namespace ringscope::block_rules_test
