// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the blocks of a kernel take what their library says: by hop, by block, by link, by GPU?
#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::blocks_test {
namespace {

constexpr double us = 1e-6;
constexpr double launch = 5 * us, start = 3 * us, hop = 2 * us, link_latency = 1 * us;
constexpr double link = 10e9, carried = link / 2, block = 4e9, copy = 8e9;  ///< B/s
constexpr double chunk = 4096;  ///< B: half of a channel's part of two cells of LL

/// Two GPUs with a link, or more; the vector is two chunks for each of `channels`. `gpu`: limit of
/// all.
Scenario two_gpus(int channels, int sms = 0, const std::string& gpu = "unlimited",
                  const std::string& collective = "allreduce",
                  const std::string& how = "protocol: LL", int gpus = 2) {
  return scenario_of(fmt::format(
      R"(
cluster:
  network: star
  hosts: 1
  link: {{bandwidth: 1 GB/s, latency: 1 us}}
  host:
    type: pcie_tree
    cores: 4
    switch_uplink: {{bandwidth: 1 GB/s, latency: 1 us}}
    gpu: {{bandwidth: 1 GB/s, latency: 1 us}}
    gpus_per_switch: {6}
    nvlink: {{bandwidth: 10 GB/s, latency: 1 us}}
library:
  base: cuda_pinned
  blocks:
    launch: 5 us
    generation: ampere
    LL: {{start: 3 us, hop: 2 us, carries: 0.5, block: 4 GB/s, copy: 8 GB/s, gpu: {2}}}
    LL128: {{start: 3 us, hop: 2 us, block: 4 GB/s}}
    Simple: {{start: 3 us, hop: 2 us, block: 4 GB/s, copy: 8 GB/s}}
placement: {{hosts: "{7}", on: gpu}}
job:
  collective: {4}
  algorithm: nccl
  bytes: {3} KiB
  options: {{{5}, channels: {0}, sms: {1}}}
)",
      channels, sms, gpu, 8 * channels, collective, how, gpus / 2, gpus));
}

double time_of(const std::string& collective) {
  return run(two_gpus(1, 0, "unlimited", collective)).time_s;
}
double time_of(const Scenario& scenario) { return run(scenario).time_s; }

/// A round of two hops at `rate` of data, and the copy of the last chunk.
double round(double rate) { return 2 * (hop + link_latency + chunk / rate) + chunk / copy; }

class Blocks : public SimulationTest {};

TEST_F(Blocks, take_a_launch_a_start_and_two_hops_between_two) {
  EXPECT_NEAR(time_of(two_gpus(1)), launch + start + round(block), 1e-12);
}

TEST_F(Blocks, share_the_link_with_their_flags_on_it) {
  EXPECT_NEAR(time_of(two_gpus(4)), launch + start + round(carried / 4), 1e-12);
}

TEST_F(Blocks, share_what_their_gpu_has_for_all) {
  EXPECT_NEAR(time_of(two_gpus(2, 0, "3 GB/s")), launch + start + round(3e9 / 2), 1e-12);
}

TEST_F(Blocks, wait_for_an_sm_and_then_start_anew) {
  EXPECT_NEAR(time_of(two_gpus(3, 1)), launch + 3 * (start + round(block)), 1e-12);
}

TEST_F(Blocks, take_turns_at_as_many_sms_as_there_are) {
  EXPECT_NEAR(time_of(two_gpus(4, 2)), launch + 2 * (start + round(carried / 2)), 1e-12);
}

double hop_of(double bytes) { return hop + link_latency + bytes / block; }

TEST_F(Blocks, allgather_takes_a_hop_and_a_copy_per_chunk) {
  EXPECT_NEAR(time_of("allgather"), launch + start + hop_of(chunk) + chunk / copy, 1e-12);
}

// A sum that stays is read and written once more: recvReduceCopy.
TEST_F(Blocks, reduce_scatter_takes_a_hop_and_a_write_per_chunk) {
  EXPECT_NEAR(time_of("reduce_scatter"), launch + start + hop_of(chunk) + chunk / copy, 1e-12);
}

TEST_F(Blocks, broadcast_forwards_and_copies_the_whole_buffer) {
  EXPECT_NEAR(time_of("broadcast"), launch + start + hop_of(2 * chunk) + 2 * chunk / copy, 1e-12);
}

TEST_F(Blocks, reduce_forwards_the_whole_buffer_and_writes_the_result) {
  EXPECT_NEAR(time_of("reduce"), launch + start + hop_of(2 * chunk) + 2 * chunk / copy, 1e-12);
}

TEST_F(Blocks, tree_sends_the_buffer_up_and_down_and_copies_at_leaves) {
  EXPECT_NEAR(time_of(two_gpus(1, 0, "unlimited", "allreduce", "algorithm: tree, protocol: LL")),
              launch + start + 2 * hop_of(2 * chunk) + 2 * chunk / copy, 1e-12);
}

// Each of four ranks gets two chunks at once over one distance and one over the other. In an
// allgather it passes on none of the two; in a reduce-scatter one of both, and the last, are its
// own.
TEST_F(Blocks, by_pat_copy_the_two_chunks_that_go_no_further) {
  constexpr double quarter = chunk / 2;
  for (const char* collective : {"allgather", "reduce_scatter"})
    EXPECT_NEAR(run_again(two_gpus(1, 0, "unlimited", collective, "algorithm: pat", 4)).time_s,
                launch + start + hop_of(2 * quarter) + hop_of(quarter) + 2 * quarter / copy, 1e-12)
        << collective;
}

// A block is a resource from its first message on: what it did before is nothing.
TEST_F(Blocks, are_busy_with_the_two_chunks_that_they_send) {
  const Report report = run(two_gpus(1));
  int blocks = 0;
  for (const ResourceReport& one : report.resources) {
    EXPECT_LE(one.utilisation, 1) << one.id.place;
    if (!one.id.place.starts_with("channel0 LL")) continue;
    EXPECT_NEAR(one.utilisation, 2 * chunk / block / report.time_s, 1e-9);
    ++blocks;
  }
  EXPECT_EQ(blocks, 2);
}

}  // namespace
}  // namespace ringscope::blocks_test
