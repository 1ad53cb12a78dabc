// SPDX-License-Identifier: LGPL-2.1-or-later
// Does one message that the switch copies cost its sender one message, and its receivers one each?
#include <fmt/core.h>

#include <numeric>
#include <span>
#include <vector>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::multicast_test {
namespace {

constexpr double us = 1e-6, ms = 1e-3;
constexpr double bytes = 1e6, bandwidth = 1e9;
constexpr double wire = bytes / bandwidth;
constexpr double latency = 2 * 1 * us + 3 * us;  ///< of two cables, and the library's
constexpr double send_overhead = 2 * us, recv_overhead = 4 * us;
constexpr double send_copy = bytes * 0.5e-9, recv_copy = bytes * 0.25e-9;
constexpr double unexpected_copy = bytes * 0.125e-9;

Scenario on(const std::string& network, const std::string& placement) {
  return scenario_of(fmt::format(R"(
cluster:
{}
  host: {{type: simple, cores: 8}}
library:
  base: ideal
  progress: caller
  shm: {{latency: 1 us, send_overhead: 1 us, send_cost: 0.0625 ns/B, driver: caller}}
  network:
    latency: 3 us
    send_overhead: 2 us
    recv_overhead: 4 us
    send_cost: 0.5 ns/B
    recv_cost: 0.25 ns/B
    unexpected_cost: 0.125 ns/B
    eager_limit: 0 B
    driver: caller
placement: {}
job: {{collective: pingpong, algorithm: blocking, bytes: 1 MB}}
)",
                                 network, placement));
}

/// Five hosts on one switch, a rank on each.
Scenario star(const std::string& link = "", const std::string& placement = "1x5") {
  return on("  network: star\n  hosts: 5\n  link: {bandwidth: 1 GB/s, latency: 1 us" + link + "}",
            placement);
}

/// Rank 0 sends to the ranks from 1 to `options.rounds`.
Task to_the_first(Communicator comm, Workspace work, Options options) {
  std::vector<int> receivers(static_cast<std::size_t>(options.rounds));
  std::iota(receivers.begin(), receivers.end(), 1);
  if (comm.rank() == 0) co_await comm.multicast(work.data, receivers);
  if (comm.rank() > 0 && comm.rank() <= options.rounds) co_await comm.recv(work.data, 0);
}

constexpr double sent = send_overhead + send_copy;
constexpr double received = sent + wire + latency + recv_overhead + recv_copy;

/// The number of receivers.
class Multicast : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Receivers, Multicast, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST_P(Multicast, takes_as_long_as_one_message_whatever_its_size_and_eager_limit) {
  const Report report = run(star(), to_the_first, {.rounds = GetParam()});
  expect_seconds(finish(report, 0), sent);
  for (int rank = 1; rank <= GetParam(); ++rank) expect_seconds(finish(report, rank), received);
}

TEST_P(Multicast, counts_as_one_message) {
  const Report report = run(star(), to_the_first, {.rounds = GetParam()});
  EXPECT_EQ(report.messages, 1u);
  EXPECT_EQ(report.bytes_on_wire, 1'000'000u);
  EXPECT_EQ(report.bytes_between_hosts, 1'000'000u);
}

TEST_P(Multicast, is_as_fast_as_the_cable_into_each_receiver) {
  const Report report =
      run(star(", receive_bandwidth: 0.25 GB/s"), to_the_first, {.rounds = GetParam()});
  expect_seconds(finish(report, 1), received - wire + bytes / 0.25e9);
}

constexpr int only_1[] = {1}, both[] = {1, 2}, both_backwards[] = {2, 1};

class OneMulticast : public SimulationTest {};

// One stream: what holds up one receiver holds up all.
TEST_F(OneMulticast, shares_the_cable_of_its_busiest_receiver) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0 || comm.rank() == 2) co_await to_the_first(comm, work, options);
    if (comm.rank() == 3) co_await comm.multicast(work.data, only_1);
    if (comm.rank() != 1) co_return;
    const Request incoming[] = {comm.irecv(work.data, 0), comm.irecv(work.scratch, 3)};
    co_await comm.wait_all(incoming);
  };
  const Report report = run(star(), text, {.rounds = 2});
  expect_seconds(finish(report, 2), received + wire);
  // The core of rank 1 takes one after the other.
  expect_seconds(finish(report, 1), received + wire + recv_overhead + recv_copy);
}

TEST_F(OneMulticast, crosses_the_uplink_between_racks_once) {
  const Scenario scenario =
      on("  network: two_level\n  racks: 2\n  hosts_per_rack: 3\n"
         "  link: {bandwidth: 1 GB/s, latency: 1 us}\n  uplink: {bandwidth: 0.5 GB/s}",
         "1-0-0-1-1-1");
  const Report report = run(scenario, to_the_first, {.rounds = 3});
  const double far = 2 * 1 * us;  // of the uplinks
  for (const int rank : {1, 2, 3})
    expect_seconds(finish(report, rank), received - wire + bytes / 0.5e9 + far);
}

// The bytes wait in the buffer for unexpected messages, as those of any eager one.
TEST_F(OneMulticast, unexpected_multicast_costs_its_receiver_a_copy) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 1) co_await comm.compute(Duration(20 * ms));
    co_await to_the_first(comm, work, options);
  };
  const Report report = run(star(), text, {.rounds = 2});
  expect_seconds(finish(report, 1), 20 * ms + recv_overhead + recv_copy + unexpected_copy);
  expect_seconds(finish(report, 2), received);
}

TEST_F(OneMulticast, comes_before_what_its_sender_sends_later) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      co_await comm.multicast(work.data, both_backwards);
      co_await comm.send(work.data.first(10), 1);
    } else if (comm.rank() == 1) {
      EXPECT_EQ(co_await comm.recv(work.data, any_source), 1'000'000);
      EXPECT_EQ(co_await comm.recv(work.data, 0), 10);
    } else if (comm.rank() == 2) {
      co_await comm.recv(work.data, 0);
    }
  };
  EXPECT_EQ(run(star(), text).messages, 2u);
}

TEST_F(OneMulticast, without_bytes_takes_a_latency) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_await comm.multicast({}, both);
    if (comm.rank() == 1 || comm.rank() == 2) co_await comm.recv({}, 0);
  };
  expect_seconds(run(star(), text).time_s, send_overhead + latency + recv_overhead);
}

TEST_F(OneMulticast, to_nobody_is_no_message) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.multicast(work.data, {});
  };
  const Report report = run(star(), text);
  EXPECT_EQ(report.messages, 0u);
  EXPECT_EQ(report.time_s, 0);
}

/// Ranks 0 and 1 on one host, rank 2 on the next.
class MulticastOnAHost : public SimulationTest {};

Task to_both(Communicator comm, Workspace work, std::span<const int> receivers) {
  if (comm.rank() == 0) co_await comm.multicast(work.data, receivers);
  if (comm.rank() > 0) co_await comm.recv(work.data, 0);
}

void expect_dearest(const Report& report) {
  expect_seconds(finish(report, 0), sent);
  expect_seconds(finish(report, 1), sent + 1 * us);
  expect_seconds(finish(report, 2), received);
}

// The sender pays for the dearest way; the receiver beside it does not wait for the network.
TEST_F(MulticastOnAHost, reaches_the_receiver_beside_its_sender_through_memory) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    co_await to_both(comm, work, both);
  };
  const Report report = run(star("", "2-1"), text);
  expect_dearest(report);
  EXPECT_EQ(report.messages, 1u);
  EXPECT_EQ(report.bytes_between_hosts, 1'000'000u);
}

TEST_F(MulticastOnAHost, costs_the_same_in_whatever_order_its_receivers_are_named) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    co_await to_both(comm, work, both_backwards);
  };
  expect_dearest(run(star("", "2-1"), text));
}

// With no latency the copy beside the sender is used up while the other is still on its way.
TEST_F(MulticastOnAHost, may_be_repeated_before_all_have_it) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    for (int i = 0; i < 3; ++i) {
      co_await to_both(comm, work, both);
      if (comm.rank() == 0) co_await comm.recv({}, 1, 1);
      if (comm.rank() == 1) co_await comm.send({}, 0, 1);
    }
  };
  Scenario scenario = star("", "2-1");
  for (Transport& transport : scenario.library.transports) transport = {};
  const Report report = run(scenario, text);
  EXPECT_EQ(report.messages, 3u + 3u);
  expect_seconds(finish(report, 2), 2 * 1 * us + 3 * wire);
}

TEST_F(MulticastOnAHost, stays_there_when_all_its_receivers_are_there) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    co_await to_both(comm, work, both);
  };
  const Report report = run(star("", "3"), text);
  expect_seconds(finish(report, 0), 1 * us + bytes * 0.0625e-9);
  expect_seconds(finish(report, 2), 1 * us + bytes * 0.0625e-9 + 1 * us);
  EXPECT_EQ(report.bytes_between_hosts, 0u);
}

}  // namespace
}  // namespace ringscope::multicast_test
