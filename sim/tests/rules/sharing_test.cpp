// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules 4 and 7: what do transfers, copies and computations that need the same core, wire or
// memory leave each other?
#include <algorithm>
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

class Sharing : public SimulationTest {};

// Rule 4. Rank 1 receives from rank 0 and sends to rank 2, as the lone rank of 4-3-1 does.
Task both_ways(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) co_await comm.sendrecv(work.data, 2, work.scratch, 0);
  if (comm.rank() == 2) co_await comm.recv(work.data, 1);
}

TEST_F(Sharing, one_core_that_is_the_bottleneck_gives_each_direction_half_the_rate) {
  const double cost = 2e-9;
  const Report report = run(only_bytes(cost, cost), both_ways);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), bytes * (cost + cost));
}

TEST_F(Sharing, and_with_unequal_costs_both_take_the_sum) {
  const Report report = run(only_bytes(1e-9, 3e-9), both_ways);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), bytes * (1e-9 + 3e-9));
}

TEST_F(Sharing, a_wire_that_is_the_bottleneck_gives_both_directions_the_full_rate) {
  const Report report = run(only_bytes(0.5e-9, 0.5e-9), both_ways);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), wire);
}

TEST_F(Sharing, so_does_a_nic) {
  const Report report = run(with_nic(only_bytes(2e-9, 2e-9), Progress::nic), both_ways);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), wire);
}

// Both directions of one cable, between the same two ranks.
TEST_F(Sharing, an_exchange_takes_the_sum_of_the_costs_of_a_core) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() > 1) co_return;
    const int other = 1 - comm.rank();
    co_await comm.sendrecv(work.data, other, work.scratch, other);
  };
  expect_seconds(finish(run(only_bytes(2e-9, 2e-9), text), 0), bytes * (2e-9 + 2e-9));
}

TEST_F(Sharing, three_senders_share_the_cable_of_their_receiver) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() > 0) co_await comm.send(work.data, 0);
    if (comm.rank() > 0) co_return;
    const std::array all = {comm.irecv(work.data, 1), comm.irecv(work.data, 2),
                            comm.irecv(work.data, 3)};
    co_await comm.wait_all(all);
  };
  const Report report = run(only_bytes(), text);
  for (const int rank : {0, 1, 2, 3}) expect_seconds(finish(report, rank), 3 * wire);
}

// Rule 7: one host with two sockets. A copy in shared memory is made by the receiver.
Scenario sockets(const std::string& placement) {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 2
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host:
    type: numa
    sockets: 2
    cores: 4
    memory_bandwidth: 6 GB/s
    socket_link: {bandwidth: 0.5 GB/s, latency: 0 s}
    nic: {domain: 0, bandwidth: unlimited}
library:
  base: ideal
  progress: caller
  reduce_cost: 0.25 ns/B
  shm: {latency: 0 s, recv_cost: 0.25 ns/B, eager_limit: 0 B, driver: receiver}
  network: {latency: 0 s, eager_limit: 0 B, driver: caller}
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
placement: )" + placement +
                     "\n");
}

constexpr double memory = 6e9, socket_link = 0.5e9;
const std::string first_core = "{host: 0, numa: 0, core: 0}",
                  second_core = "{host: 0, numa: 0, core: 1}";
const std::string other_socket = "{host: 0, numa: 1, core: 0}",
                  other_second = "{host: 0, numa: 1, core: 1}";
const std::string other_host = "{host: 1, numa: 0, core: 0}";

std::string placed(std::initializer_list<std::string> ranks) {
  std::string text = "[";
  for (const std::string& rank : ranks) text += rank + ", ";
  return text + "]";
}

Task compute_all(Communicator comm, Workspace, Options options) {
  co_await comm.compute(options.compute);
}

TEST_F(Sharing, two_ranks_bound_to_one_core_take_twice_as_long) {
  const Report report =
      run(sockets(placed({first_core, first_core, second_core})), compute_all, compute(1 * ms));
  expect_seconds(finish(report, 0), 2 * ms);
  expect_seconds(finish(report, 1), 2 * ms);
  expect_seconds(finish(report, 2), 1 * ms);
}

// Six ranks that may use all of a domain's four cores, and one of another domain.
TEST_F(Sharing, ranks_bound_to_a_domain_share_its_cores) {
  const std::string domain = "{host: 0, numa: 0}";
  const Scenario scenario =
      sockets(placed({domain, domain, domain, domain, domain, domain, "{host: 0, numa: 1}"}));
  const Report report = run(scenario, compute_all, compute(1 * ms));
  expect_seconds(finish(report, 0), 6 / 4.0 * ms);
  expect_seconds(finish(report, 6), 1 * ms);
}

Task reduce_all(Communicator comm, Workspace work, Options) {
  co_await comm.reduce(work.data, work.scratch);
}

// A reduction reads two vectors and writes one.
TEST_F(Sharing, a_reduction_alone_is_as_fast_as_its_core_or_its_memory) {
  const Report report = run(sockets(placed({first_core, other_host})), reduce_all);
  expect_seconds(finish(report, 0), bytes * std::max(0.25e-9, 3 / memory));
}

TEST_F(Sharing, reductions_share_the_memory_controller_of_their_domain) {
  const Report report = run(sockets(placed({first_core, second_core, other_socket})), reduce_all);
  expect_seconds(finish(report, 0), bytes * 2 * 3 / memory);
  expect_seconds(finish(report, 1), bytes * 2 * 3 / memory);
  expect_seconds(finish(report, 2), bytes * 3 / memory);
}

Task send_to_the_next(Communicator comm, Workspace work, Options) {
  if (comm.rank() % 2 == 0) co_await comm.send(work.data, comm.rank() + 1);
  if (comm.rank() % 2 == 1) co_await comm.recv(work.data, comm.rank() - 1);
}

// A copy reads and writes.
TEST_F(Sharing, a_copy_in_shared_memory_uses_memory_twice) {
  const Report report = run(sockets(placed({first_core, second_core})), send_to_the_next);
  expect_seconds(finish(report, 1), bytes * std::max(0.25e-9, 2 / memory));
}

// Per byte 2 for the copy and 3 for the reduction, both as fast as the memory lets them.
TEST_F(Sharing, a_copy_and_a_reduction_share_a_memory_controller) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() < 2) co_await send_to_the_next(comm, work, options);
    if (comm.rank() == 2) co_await comm.reduce(work.data, work.scratch);
  };
  const std::string third_core = "{host: 0, numa: 0, core: 2}";
  const Report report = run(sockets(placed({first_core, second_core, third_core})), text);
  expect_seconds(finish(report, 1), bytes * (2 + 3) / memory);
  expect_seconds(finish(report, 2), bytes * (2 + 3) / memory);
}

TEST_F(Sharing, between_sockets_the_link_is_what_a_copy_waits_for) {
  const Report report = run(sockets(placed({first_core, other_socket})), send_to_the_next);
  expect_seconds(finish(report, 1), bytes / socket_link);
}

TEST_F(Sharing, two_copies_in_one_direction_share_that_link) {
  const Report report =
      run(sockets(placed({first_core, other_socket, second_core, other_second})), send_to_the_next);
  expect_seconds(finish(report, 1), 2 * bytes / socket_link);
  expect_seconds(finish(report, 3), 2 * bytes / socket_link);
}

TEST_F(Sharing, two_in_opposite_directions_do_not) {
  const Report report =
      run(sockets(placed({first_core, other_socket, other_second, second_core})), send_to_the_next);
  expect_seconds(finish(report, 1), bytes / socket_link);
  expect_seconds(finish(report, 3), bytes / socket_link);
}

TEST_F(Sharing, a_message_to_the_network_from_the_socket_without_nic_crosses_the_link_too) {
  const Report report = run(sockets(placed({other_socket, other_host})), send_to_the_next);
  expect_seconds(finish(report, 1), bytes / socket_link);
}

// Single copy: the receiver does all the work, and the sender may compute.
TEST_F(Sharing, a_single_copy_needs_nobody_but_its_receiver) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) {
      const Request outgoing = comm.isend(work.data, 1);
      co_await comm.compute(options.compute);
      co_await comm.wait(outgoing);
    }
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  };
  const Report report = run(sockets(placed({first_core, second_core})), text, compute(10 * ms));
  expect_seconds(finish(report, 0), 10 * ms);
  expect_seconds(finish(report, 1), bytes * 2 / memory);
}

}  // namespace
}  // namespace ringscope::rules
