// Do the blocks of a kernel keep to their host's pace, to PCIe's packets, to their GPU's generation
// and to what one of them sends between hosts?
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {
namespace {

constexpr double us = 1e-6;

struct Machine {
  int hosts = 1;
  std::string nvlink = "nvlink: {bandwidth: 10 GB/s, latency: 1 us}";
  std::string generation = "generation: ampere";
  std::string rules = "issue: 0 s";
  double carries_over_pcie = 1;
};

/// Two GPUs, of one host or of two; their PCIe carries 2 GB/s, a NIC 100.
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
    LL: {{start: 3 us, hop: 2 us, block: 4 GB/s}}
    LL128: {{start: 3 us, hop: 2 us, block: 4 GB/s}}
    Simple: {{start: 3 us, hop: 2 us, carries_over_pcie: {5}, block: 4 GB/s}}
placement: {{hosts: {6}, on: gpu}}
job: {7}
)",
      machine.hosts, machine.hosts > 1 ? "100 GB/s" : "2 GB/s", machine.nvlink, machine.generation,
      machine.rules, machine.carries_over_pcie, machine.hosts > 1 ? "1-1" : "2", job));
}

double time_of(const Machine& machine, const std::string& job) {
  return run_again(two_gpus(machine, job)).time_s;
}

/// A ring of one channel: each of two hops takes half of it.
constexpr double bytes = 65536;
std::string allreduce(int gpus_per_thread = 1) {
  return fmt::format(
      "{{collective: allreduce, algorithm: nccl, bytes: {} B, options: {{algorithm: ring, "
      "protocol: Simple, channels: 1, gpus_per_thread: {}}}}}",
      bytes, gpus_per_thread);
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

TEST_F(BlockRules, without_an_nvlink_data_share_pcie_with_their_packets_headers) {
  const auto over_pcie = [](double carries) {
    return time_of({.nvlink = "gpus_per_switch: 2", .carries_over_pcie = carries}, allreduce());
  };
  EXPECT_NEAR(over_pcie(0.5) - over_pcie(1), bytes / (2e9 * 0.5) - bytes / 2e9, 1e-12);
}

// NCCL's tables grant a channel of a tree 24 GB/s on Ampere and 38.7 on Hopper.
TEST_F(BlockRules, of_another_generation_pass_on_what_its_tables_grant) {
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
  constexpr double mib = 1 << 20;
  EXPECT_NEAR(at("1 GB/s") - at("2 GB/s"), mib / 1e9 - mib / 2e9, 1e-12);
  EXPECT_NEAR(at("8 GB/s"), at("4 GB/s"), 1e-12);  // the block's own
}

}  // namespace
}  // namespace ringscope
