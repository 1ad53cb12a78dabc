// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the sockets, memories, NICs and cores inside a host slow down those who share them, and those
// whose buffers lie elsewhere?
#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::host_inside_test {
namespace {

constexpr double ms = 1e-3;
constexpr double bytes = 1e6;
constexpr double memory = 6e9;  ///< of each socket, B/s
constexpr double cable = 1e9;   ///< of each NIC, B/s

/// Two hosts of two sockets, with NICs as `nics` says; only bytes take time.
Scenario sockets(const std::string& placement, const std::string& socket_link,
                 const std::string& nics = "nic: {domain: 0}", const std::string& both = "none") {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: 1 GB/s, latency: 0 s{}}}
  host:
    type: numa
    cores: 4
    memory_bandwidth: 6 GB/s
    socket_link: {{bandwidth: {}}}
    {}
library:
  base: ideal
  progress: caller
  shm: {{latency: 0 s, eager_limit: 0 B, driver: receiver}}
  network: {{latency: 0 s, eager_limit: 0 B, driver: caller}}
placement: [{}]
job: {{collective: pingpong, algorithm: blocking, bytes: 1 MB}}
)",
                                 both == "none" ? "" : ", both: " + both, socket_link, nics,
                                 placement));
}

std::string core(int host, int numa, int core, const std::string& more = "") {
  return fmt::format("{{host: {}, numa: {}, core: {}{}}}, ", host, numa, core, more);
}

const std::string bound_to_0 = ", memory: {bind: 0}", bound_to_1 = ", memory: {bind: 1}";
const std::string interleaved = ", memory: interleave", all_nics = ", nics: all";
const std::string wide = "100 GB/s", narrow = "2 GB/s";
constexpr double narrow_link = 2e9;

Task reduce_all(Communicator comm, Workspace work, Options) {
  co_await comm.reduce(work.data, work.scratch);
}
Task copy_all(Communicator comm, Workspace work, Options) {
  co_await comm.copy(work.data, work.scratch);
}
Task send_to_the_next(Communicator comm, Workspace work, Options) {
  if (comm.rank() % 2 == 0) co_await comm.send(work.data, comm.rank() + 1);
  if (comm.rank() % 2 == 1) co_await comm.recv(work.data, comm.rank() - 1);
}
Task exchange(Communicator comm, Workspace work, Options) {
  const int peer = comm.rank() ^ 1;
  co_await comm.sendrecv(work.data, peer, work.scratch, peer);
}

double local_time(const Scenario& scenario, Text text) { return finish(run(scenario, text), 0); }

// A reduction reads two vectors and writes one; a copy reads one and writes one.
class MemoryPolicies : public SimulationTest {};

TEST_F(MemoryPolicies, local_leaves_the_other_socket_alone) {
  const Report report = run(sockets(core(0, 0, 0) + core(0, 1, 0), narrow), reduce_all);
  for (const int rank : {0, 1}) expect_seconds(finish(report, rank), 3 * bytes / memory);
}

TEST_F(MemoryPolicies, bind_takes_the_memory_that_it_names) {
  const Report report =
      run(sockets(core(0, 0, 0, bound_to_1) + core(0, 0, 1) + core(0, 1, 0), wide), reduce_all);
  expect_seconds(finish(report, 0), 2 * 3 * bytes / memory);
  expect_seconds(finish(report, 1), 3 * bytes / memory);
  expect_seconds(finish(report, 2), 2 * 3 * bytes / memory);
}

TEST_F(MemoryPolicies, bind_reads_and_writes_over_the_link_between_the_sockets) {
  const std::string far = core(0, 0, 0, bound_to_1) + core(1, 0, 0);
  expect_seconds(local_time(sockets(far, narrow), reduce_all), 2 * bytes / narrow_link);
}

TEST_F(MemoryPolicies, bind_copies_by_both_directions_of_that_link) {
  const std::string far = core(0, 0, 0, bound_to_1) + core(1, 0, 0);
  expect_seconds(local_time(sockets(far, narrow), copy_all), bytes / narrow_link);
}

TEST_F(MemoryPolicies, bind_copies_within_the_limit_of_both_directions) {
  const std::string far = core(0, 0, 0, bound_to_1) + core(1, 0, 0);
  expect_seconds(local_time(sockets(far, "2 GB/s, both: 3 GB/s"), copy_all), 2 * bytes / 3e9);
}

TEST_F(MemoryPolicies, interleave_takes_half_of_both_memories) {
  const Report report =
      run(sockets(core(0, 0, 0, interleaved) + core(1, 0, 0, interleaved) + core(1, 1, 0), wide),
          reduce_all);
  expect_seconds(finish(report, 0), 1.5 * bytes / memory);
  // Equal rates, of 1.5 and of 3 accesses to a byte.
  for (const int rank : {1, 2}) expect_seconds(finish(report, rank), (1.5 + 3) * bytes / memory);
}

TEST_F(MemoryPolicies, interleave_takes_the_link_for_half_of_the_bytes) {
  const std::string half = core(0, 0, 0, interleaved) + core(1, 0, 0);
  expect_seconds(local_time(sockets(half, narrow), reduce_all), 2 * bytes / 2 / narrow_link);
}

TEST_F(MemoryPolicies, interleave_of_ranks_on_both_sockets_fills_both_memories) {
  const std::string all =
      core(0, 0, 0, interleaved) + core(0, 1, 0, interleaved) + core(0, 1, 1, interleaved);
  const Report report = run(sockets(all, wide), reduce_all);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), 3 * 1.5 * bytes / memory);
}

// The receiver reads the sender's buffer where it lies, and writes its own.
TEST_F(MemoryPolicies, bind_is_read_by_a_single_copy_over_the_link) {
  const std::string far = core(0, 0, 0, bound_to_1) + core(0, 0, 1);
  expect_seconds(run(sockets(far, narrow), send_to_the_next).time_s, bytes / narrow_link);
}

TEST_F(MemoryPolicies, bind_of_both_ends_copies_inside_one_memory) {
  const std::string both = core(0, 0, 0, bound_to_1) + core(0, 0, 1, bound_to_1);
  expect_seconds(run(sockets(both, wide), send_to_the_next).time_s, 2 * bytes / memory);
}

TEST_F(MemoryPolicies, interleave_at_the_sender_is_read_half_by_a_single_copy_over_the_link) {
  const std::string half = core(0, 0, 0, interleaved) + core(0, 0, 1);
  expect_seconds(run(sockets(half, "1 GB/s"), send_to_the_next).time_s, bytes / 2 / 1e9);
}

class Nics : public SimulationTest {};

const std::string two_nics = "nics: [{domain: 0}, {domain: 1}]";
const std::string slow = "0.25 GB/s";
constexpr double slow_link = 0.25e9;

TEST_F(Nics, remote_nic_is_reached_over_the_socket_link) {
  expect_seconds(run(sockets(core(0, 1, 0) + core(1, 0, 0), slow), send_to_the_next).time_s,
                 bytes / slow_link);
}

// It is where the bytes lie that counts, not where the core is.
TEST_F(Nics, read_the_memory_that_buffers_are_bound_to) {
  const std::string far = core(0, 0, 0, bound_to_1) + core(1, 0, 0);
  expect_seconds(run(sockets(far, slow), send_to_the_next).time_s, bytes / slow_link);
}

TEST_F(Nics, write_the_memory_that_buffers_are_bound_to) {
  const std::string far = core(0, 0, 0) + core(1, 1, 0, bound_to_0);
  expect_seconds(run(sockets(far, slow), send_to_the_next).time_s, bytes / cable);
}

TEST_F(Nics, read_half_of_what_is_interleaved_over_the_link) {
  const std::string half = core(0, 0, 0, interleaved) + core(1, 0, 0);
  expect_seconds(run(sockets(half, slow), send_to_the_next).time_s, bytes / 2 / slow_link);
}

TEST_F(Nics, local_nic_needs_no_socket_link) {
  const std::string same = core(0, 1, 0) + core(1, 1, 0);
  expect_seconds(run(sockets(same, slow, two_nics), send_to_the_next).time_s, bytes / cable);
}

TEST_F(Nics, two_nics_double_the_send_bandwidth) {
  const std::string both = core(0, 0, 0, all_nics) + core(1, 0, 0);
  expect_seconds(run(sockets(both, wide, two_nics), send_to_the_next).time_s, bytes / 2 / cable);
}

TEST_F(Nics, two_nics_send_half_over_the_other_socket) {
  const std::string both = core(0, 0, 0, all_nics) + core(1, 0, 0);
  expect_seconds(run(sockets(both, slow, two_nics), send_to_the_next).time_s,
                 bytes / 2 / slow_link);
}

TEST_F(Nics, rank_with_two_nics_shares_them_with_a_rank_of_one) {
  const std::string mixed = core(0, 0, 0, all_nics) + core(1, 0, 0) + core(0, 0, 1) + core(1, 0, 1);
  const Report report = run(sockets(mixed, wide, two_nics), send_to_the_next);
  // The first one's half byte per byte and the second one's whole share a cable: equal rates.
  expect_seconds(finish(report, 1), 1.5 * bytes / cable);
  expect_seconds(finish(report, 3), 1.5 * bytes / cable);
}

class BothDirections : public SimulationTest {};

TEST_F(BothDirections, link_directions_are_independent) {
  expect_seconds(run(sockets(core(0, 0, 0) + core(1, 0, 0), wide), exchange).time_s, bytes / cable);
}

TEST_F(BothDirections, link_directions_share_a_total_limit) {
  const Scenario scenario =
      sockets(core(0, 0, 0) + core(1, 0, 0), wide, "nic: {domain: 0}", "1.25 GB/s");
  expect_seconds(run(scenario, exchange).time_s, 2 * bytes / 1.25e9);
}

TEST_F(BothDirections, leave_all_of_it_to_one_alone) {
  const Scenario scenario =
      sockets(core(0, 0, 0) + core(1, 0, 0), wide, "nic: {domain: 0}", "1.25 GB/s");
  expect_seconds(run(scenario, send_to_the_next).time_s, bytes / cable);
}

TEST_F(BothDirections, socket_link_directions_share_a_total_limit) {
  const Scenario scenario = sockets(core(0, 0, 0) + core(0, 1, 0), "1 GB/s, both: 1.25 GB/s");
  expect_seconds(run(scenario, exchange).time_s, 2 * bytes / 1.25e9);
}

class ThreadCores : public SimulationTest {};

Task compute(Communicator comm, double seconds) { co_await comm.compute(Duration(seconds)); }

double two_threads(ProgressCore where) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread other = comm.start(compute(comm.thread(1), 2 * ms));
    co_await comm.compute(Duration(3 * ms));
    co_await comm.join(other);
  };
  Scenario scenario = sockets(core(0, 0, 0) + core(1, 0, 0), wide);
  scenario.library.thread_core = where;
  return run(scenario, text, {}, 2).time_s;
}

TEST_F(ThreadCores, spare_cores_compute_in_parallel) {
  expect_seconds(two_threads(ProgressCore::spare), 3 * ms);
}

TEST_F(ThreadCores, shared_cores_alternate_computation) {
  expect_seconds(two_threads(ProgressCore::shared), (3 + 2) * ms);
}

}  // namespace
}  // namespace ringscope::host_inside_test
