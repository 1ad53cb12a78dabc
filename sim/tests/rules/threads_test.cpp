// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 6: what do more threads of a process gain, with one endpoint for all and with one for each?
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

/// The number of threads.
class Threads : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Count, Threads, testing::Values(1, 2, 3),
                         testing::PrintToStringParamName());

Task send_one(Communicator comm, Range range, int to) { co_await comm.send(range, to); }

// Rank 0 sends to `rounds` ranks, with a thread for each.
Task send_from_threads(Communicator comm, Workspace work, Options options) {
  const int count = options.rounds;
  if (comm.rank() > 0 && comm.rank() <= count) co_await comm.recv(work.data, 0);
  if (comm.rank() > 0) co_return;
  std::vector<Thread> threads;
  for (int i = 1; i < count; ++i)
    threads.push_back(comm.start(send_one(comm.thread(i), work.data, i + 1)));
  co_await comm.send(work.data, 1);
  for (const Thread thread : threads) co_await comm.join(thread);
}

Report run_threads(Scenario scenario, int threads, int endpoints) {
  scenario.library.endpoints = endpoints;
  return run(std::move(scenario), send_from_threads, {.rounds = threads}, threads);
}

class TwoThreads : public SimulationTest {};

constexpr double cost = 8e-9;

TEST_P(Threads, on_one_endpoint_are_no_faster_than_one) {
  const int k = GetParam();
  expect_seconds(finish(run_threads(only_bytes(cost), k, 1), 0), k * bytes * cost);
}

TEST_P(Threads, on_endpoints_of_their_own_scale) {
  const int k = GetParam();
  expect_seconds(finish(run_threads(only_bytes(cost), k, k), 0), bytes * cost);
}

TEST_P(Threads, on_endpoints_of_their_own_scale_until_the_wire_is_full) {
  const int k = GetParam();
  const double half = 2e-9;  // of the wire's rate, per core
  const double expected = std::max(bytes * half, k * wire);
  expect_seconds(finish(run_threads(only_bytes(half), k, k), 0), expected);
}

// A rank that may use both cores of its host has its threads there too.
TEST_P(Threads, on_endpoints_of_their_own_scale_until_the_cores_are_full) {
  const int k = GetParam();
  Scenario scenario = scenario_of(R"(
cluster:
  network: star
  hosts: 4
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 2}
library:
  base: ideal
  progress: caller
  network: {latency: 0 s, eager_limit: 0 B, send_cost: 8 ns/B, driver: caller}
placement: {hosts: 1-1-1-1, bind: host}
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
)");
  expect_seconds(finish(run_threads(scenario, k, k), 0), std::max(1.0, k / 2.0) * bytes * cost);
}

/// A core for each rank, and `spare` more on each host.
Scenario with_cores(int spare) {
  Scenario scenario = scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 4
  link: {{bandwidth: 1 GB/s, latency: 0 s}}
  host: {{type: simple, cores: {}}}
library:
  base: ideal
  progress: caller
  network: {{latency: 0 s, eager_limit: 0 B, send_cost: 8 ns/B, driver: caller}}
placement: 1-1-1-1
job: {{collective: pingpong, algorithm: blocking, bytes: 1 MB}}
)",
                                              1 + spare));
  return scenario;
}

TEST_F(TwoThreads, take_turns_on_a_host_with_one_core) {
  expect_seconds(finish(run_threads(with_cores(0), 2, 2), 0), 2 * bytes * cost);
}

TEST_F(TwoThreads, run_in_parallel_on_a_spare_core) {
  expect_seconds(finish(run_threads(with_cores(1), 2, 2), 0), bytes * cost);
}

// The two further ones share the core that is left.
TEST_F(TwoThreads, and_a_third_one_share_the_spare_core) {
  expect_seconds(finish(run_threads(with_cores(1), 3, 3), 0), 2 * bytes * cost);
}

TEST_F(TwoThreads, and_a_third_one_have_a_spare_core_each) {
  expect_seconds(finish(run_threads(with_cores(2), 3, 3), 0), bytes * cost);
}

// Copies of eager messages take the lock too.
TEST_P(Threads, on_one_endpoint_copy_one_after_the_other) {
  const int k = GetParam();
  Scenario scenario = only_bytes(cost);
  network(scenario).eager_limit = *parse_bytes("unlimited");
  expect_seconds(finish(run_threads(scenario, k, 1), 0), k * bytes * cost);
}

// One question, and only after its answer does `from` hear that it may send.
Task ask_once(Communicator comm, Range range, int from, Duration pause) {
  const Request incoming = comm.irecv(range, from);
  co_await comm.compute(pause);
  EXPECT_EQ(co_await comm.test(incoming), 0);
  co_await comm.send(nothing, from, 1);
  co_await comm.wait(incoming);
}

// Both ask while their engine is busy with what rank 3 has sent.
TEST_F(TwoThreads, concurrent_tests_of_two_threads_both_return) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) {
      const Thread other = comm.start(ask_once(comm.thread(1), work.scratch, 2, options.compute));
      co_await ask_once(comm, work.data, 1, options.compute);
      co_await comm.join(other);
      co_await comm.recv(work.data, 3);
    } else if (comm.rank() == 3) {
      co_await comm.send(work.data, 0);
    } else {
      co_await comm.recv(nothing, 0, 1);
      co_await comm.send(work.data, 0);
    }
  };
  EXPECT_EQ(run(eager(), text, compute(10 * ms), 2).messages, 5u);
}

// A thread that has ended is still to be joined: the next one gets another index.
TEST_F(TwoThreads, have_indices_of_their_own_until_they_are_joined) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() != 0) {
      if (comm.rank() < 3) co_await comm.recv(work.data, 0);
      co_return;
    }
    const Thread first = comm.start(send_one(comm.thread(1), work.data, 1));
    co_await comm.compute(Duration(10 * ms));
    const Thread second = comm.start(send_one(comm.thread(2), work.data, 2));
    EXPECT_EQ(first.index, 1);
    EXPECT_EQ(second.index, 2);
    co_await comm.join(first);
    co_await comm.join(second);
  };
  EXPECT_EQ(run(eager(), text, {}, 3).messages, 2u);
}

}  // namespace
}  // namespace ringscope::rules
