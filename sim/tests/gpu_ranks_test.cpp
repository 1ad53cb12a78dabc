// SPDX-License-Identifier: LGPL-2.1-or-later
// Do ranks on GPUs exchange and reduce as fast as the links, memories and rules of their host let
// them?
#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::gpu_ranks_test {
namespace {

constexpr double us = 1e-6, ms = 1e-3;
constexpr double bytes = 1e6;
constexpr double gpu_link = 10e9, cable = 4e9;       ///< B/s, each direction
constexpr double memory = 12e9, gpu_memory = 300e9;  ///< of a socket and of a GPU
constexpr double socket_link = 5e9;                  ///< slower than a copy through memory
constexpr double cable_latency = 2 * 1 * us;         ///< of two
constexpr double p2p_latency = 2 * us, staged_latency = 3 * us, gdr_latency = 4 * us,
                 network_latency = 20 * us;
constexpr double launch = 5 * us;

/// Two hosts of four GPUs: 0 and 1 below socket 0, where the NIC is, 2 and 3 below socket 1.
/// `more` is said of the hosts, `gpu` of their GPUs.
Scenario boxes(const std::string& placement, const std::string& more = "gpudirect: true",
               const std::string& gpu = "") {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: 4 GB/s, latency: 1 us}}
  host:
    type: pcie_tree
    cores: 4
    memory_bandwidth: 12 GB/s
    socket_link: {{bandwidth: 5 GB/s}}
    switch_uplink: {{bandwidth: 16 GB/s, latency: 0 s}}
    gpus_per_switch: 2
    gpu: {{bandwidth: 10 GB/s, latency: 0 s, memory_bandwidth: 300 GB/s{}}}
    nic: {{switch: 0}}
    {}
library:
  base: ideal
  gpu: {{launch: 5 us}}
  network: {{latency: 20 us}}
  p2p: {{latency: 2 us}}
  staged: {{latency: 3 us}}
  gdr: {{latency: 4 us}}
placement: {}
job: {{collective: pingpong, algorithm: blocking, bytes: 1 MB}}
)",
                                 gpu, more, placement));
}

/// One entry per rank of a placement: a GPU of the first host, and one of the second.
std::string gpus(int first, int second) {
  return fmt::format("[{{host: 0, gpu: {}}}, {{host: 0, gpu: {}}}]", first, second);
}
const std::string on_two_hosts = "[{host: 0, gpu: 0}, {host: 1, gpu: 1}]";

Task send_to_the_next(Communicator comm, Workspace work, Options) {
  if (comm.rank() % 2 == 0) co_await comm.send(work.data, comm.rank() + 1);
  if (comm.rank() % 2 == 1) co_await comm.recv(work.data, comm.rank() - 1);
}
Task exchange(Communicator comm, Workspace work, Options) {
  const int peer = comm.rank() ^ 1;
  co_await comm.sendrecv(work.data, peer, work.scratch, peer);
}

double sent_in(const Scenario& scenario) { return run(scenario, send_to_the_next).time_s; }

class BetweenGpus : public SimulationTest {};

TEST_F(BetweenGpus, gpus_on_one_switch_use_the_full_link) {
  expect_seconds(sent_in(boxes(gpus(0, 1))), p2p_latency + bytes / gpu_link);
}

// Through the memory of the first one's socket, written and read, and to the other socket.
TEST_F(BetweenGpus, gpus_on_two_sockets_are_staged) {
  expect_seconds(sent_in(boxes(gpus(0, 2))), staged_latency + bytes / socket_link);
}

TEST_F(BetweenGpus, gpus_without_peer_access_are_staged_with_2x_memory_traffic) {
  expect_seconds(sent_in(boxes(gpus(0, 1), "peer_access: none")),
                 staged_latency + bytes * 2 / memory);
}

TEST_F(BetweenGpus, staged_copy_adds_the_staging_latency) {
  expect_seconds(sent_in(boxes(gpus(0, 1), "peer_access: none\n    staging: {latency: 7 us}")),
                 staged_latency + 7 * us + bytes * 2 / memory);
}

Scenario always_staged(const std::string& placement) {
  Scenario scenario = boxes(placement);
  scenario.library.gpu.always_staged = true;
  return scenario;
}

TEST_F(BetweenGpus, peers_are_staged_if_the_library_always_stages) {
  expect_seconds(sent_in(always_staged(gpus(0, 1))), staged_latency + bytes * 2 / memory);
}

// Up by one direction of the GPU's link and down by the other.
TEST_F(BetweenGpus, ranks_on_one_gpu_are_staged_if_the_library_always_stages) {
  expect_seconds(sent_in(always_staged(gpus(0, 0))), staged_latency + bytes * 2 / memory);
}

TEST_F(BetweenGpus, peer_access_across_sockets_uses_no_host_memory) {
  const Report report = run(boxes(gpus(0, 2), "peer_access: all"), send_to_the_next);
  expect_seconds(report.time_s, p2p_latency + bytes / socket_link);
  for (const ResourceReport& resource : report.resources)
    EXPECT_EQ(resource.id.place.find("numa0/memory"), std::string::npos) << resource.id.name();
}

TEST_F(BetweenGpus, both_ways_is_as_fast_as_one_way) {
  expect_seconds(run(boxes(gpus(0, 1)), exchange).time_s, p2p_latency + bytes / gpu_link);
}

TEST_F(BetweenGpus, both_ways_shares_what_a_link_carries_in_all) {
  expect_seconds(run(boxes(gpus(0, 1), "gpudirect: true", ", both: 15 GB/s"), exchange).time_s,
                 p2p_latency + 2 * bytes / 15e9);
}

TEST_F(BetweenGpus, over_nvlink_takes_that) {
  expect_seconds(
      sent_in(boxes(gpus(0, 3), "nvlink: {pairs: [[0, 3]], bandwidth: 25 GB/s, latency: 1 us}")),
      p2p_latency + 1 * us + bytes / 25e9);
}

// Half of a staged copy.
TEST_F(BetweenGpus, and_host_memory_is_one_copy) {
  const std::string mixed = "[{host: 0, gpu: 0}, {host: 0, numa: 0, core: 3}]";
  expect_seconds(sent_in(boxes(mixed)), staged_latency + bytes / gpu_link);
}

TEST_F(BetweenGpus, gpudirect_goes_directly_to_the_nic) {
  expect_seconds(sent_in(boxes(on_two_hosts)), gdr_latency + cable_latency + bytes / cable);
}

TEST_F(BetweenGpus, without_gpudirect_both_host_memories_are_used) {
  const Report report = run(boxes(on_two_hosts, "gpudirect: false"), send_to_the_next);
  expect_seconds(report.time_s, network_latency + cable_latency + bytes / cable);
  int memories = 0;
  for (const ResourceReport& resource : report.resources)
    if (resource.id.place == "host0/numa0/memory" || resource.id.place == "host1/numa0/memory") {
      EXPECT_NEAR(resource.utilisation,
                  2 * bytes / memory / (network_latency + cable_latency + bytes / cable), 1e-9);
      ++memories;
    }
  EXPECT_EQ(memories, 2);
}

class OnAGpu : public SimulationTest {};

Task reduce_all(Communicator comm, Workspace work, Options) {
  co_await comm.reduce(work.data, work.scratch);
}
Task copy_all(Communicator comm, Workspace work, Options) {
  co_await comm.copy(work.data, work.scratch);
}
Task compute_all(Communicator comm, Workspace, Options) { co_await comm.compute(Duration(2 * ms)); }

TEST_F(OnAGpu, a_reduction_is_a_launch_and_three_accesses_to_each_byte) {
  expect_seconds(run(boxes(gpus(0, 1)), reduce_all).time_s, launch + 3 * bytes / gpu_memory);
}

TEST_F(OnAGpu, a_copy_is_a_launch_and_two) {
  expect_seconds(run(boxes(gpus(0, 1)), copy_all).time_s, launch + 2 * bytes / gpu_memory);
}

TEST_F(OnAGpu, a_reduction_that_computes_longer_takes_that) {
  Scenario scenario = boxes(gpus(0, 1));
  scenario.library.gpu.reduce_cost = {0.1e-9};
  expect_seconds(run(scenario, reduce_all).time_s, launch + bytes * 0.1e-9);
}

TEST_F(OnAGpu, ranks_that_share_it_compute_in_turns) {
  const std::string shared = "[{host: 0, gpu: 0}, {host: 0, gpu: 0}, {host: 0, gpu: 1}]";
  const Report report = run(boxes(shared), compute_all);
  expect_seconds(finish(report, 0), 2 * 2 * ms);
  expect_seconds(finish(report, 1), 2 * 2 * ms);
  expect_seconds(finish(report, 2), 2 * ms);
}

// The rank beside it computes on the core that the first one's MPI calls are made on.
TEST_F(OnAGpu, a_rank_leaves_its_core_to_others) {
  const std::string beside = "[{host: 0, gpu: 0, numa: 0, core: 0}, {host: 0, numa: 0, core: 0}]";
  const Report report = run(boxes(beside), compute_all);
  expect_seconds(finish(report, 0), 2 * ms);
  expect_seconds(finish(report, 1), 2 * ms);
}

class GpuLibrary : public SimulationTest {};

TEST_F(GpuLibrary, library_without_gpu_transports_is_rejected) {
  try {
    scenario_of(R"(
cluster: gtx1080ti_x4
library: rdma
placement: {hosts: 4, on: gpu}
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
)");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("ranks are placed on GPUs, and library 'rdma' has no costs of their "
                        "messages: it lacks p2p, staged and gdr"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ringscope::gpu_ranks_test
