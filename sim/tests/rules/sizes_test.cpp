// SPDX-License-Identifier: LGPL-2.1-or-later
// Do times that go by size, jitter and headers take what they say?
#include <fmt/format.h>

#include <cmath>

#include "sim/tests/rules/rules_for_test.hpp"
#include "topologies/graph/splitmix.hpp"

namespace ringscope::rules::sizes_test {
namespace {

class Sizes : public SimulationTest {};

Task send_and_receive(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

Task send_beside_a_quicker_one(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  if (comm.rank() == 2) co_await comm.send(work.data.first(1), 3);
  if (comm.rank() == 3) co_await comm.recv(work.data.first(1), 2);
}

SizedTime below_and_from_here(double small, double large, double cost) {
  return SizedTime(
      {{.up_to = 999'999, .time = Seconds(small)}, {.time = Seconds(large), .cost = {cost}}});
}

TEST_F(Sizes, the_segment_of_the_message_counts_at_each_stage_of_an_eager_one) {
  Scenario scenario = eager();
  network(scenario).latency = below_and_from_here(1 * us, 10 * us, 0.01e-9);
  network(scenario).send_overhead = below_and_from_here(1 * us, 20 * us, 0.02e-9);
  network(scenario).recv_overhead = below_and_from_here(1 * us, 40 * us, 0.04e-9);
  const Report report = run(scenario, send_and_receive);
  const double cables = 2 * us, by_size = (10 + 20 + 40) * us + bytes * 0.07e-9;
  expect_seconds(finish(report, 1), by_size + cables + send_copy + wire + recv_copy);
}

TEST_F(Sizes, control_messages_of_a_rendezvous_have_the_latency_of_no_bytes) {
  Scenario scenario = rendezvous();
  network(scenario).latency = below_and_from_here(3 * us, 30 * us, 0);
  const Report report = run(scenario, send_and_receive);
  const double handshake = send_overhead + latency + recv_overhead + latency;
  expect_seconds(finish(report, 1), handshake + wire + 2 * us + 30 * us);
}

TEST_F(Sizes, a_segment_ends_with_its_last_byte) {
  const SizedTime time = below_and_from_here(1, 2, 0);
  EXPECT_EQ(time.at(0), 1);
  EXPECT_EQ(time.at(999'999), 1);
  EXPECT_EQ(time.at(1'000'000), 2);
}

TEST_F(Sizes, headers_take_their_share_of_the_cables) {
  Scenario scenario = rendezvous();
  network(scenario).goodput = 0.5;
  const Report report = run(scenario, send_and_receive);
  const double handshake = send_overhead + latency + recv_overhead + latency;
  expect_seconds(finish(report, 1), handshake + 2 * wire + latency);
}

// Two ranks on a host that has nothing but cores; the receiver copies large messages, at a cost by
// size and by what the caches hold.
Report exchange_in_memory(double size) {
  const Scenario scenario = scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 1
  link: {{bandwidth: 1 GB/s, latency: 0 s}}
  host: {{type: simple, cores: 2}}
library:
  base: ideal
  progress: caller
  reduce_cost: 0.5 ns/B
  shm:
    latency: 1 us
    recv_cost: 0.25 ns/B
    recv_overhead: [{{up_to: 10 kB, time: 2 us, cost: 0.5 ns/B}}, {{time: 3 us}}]
    eager_limit: 4 kB
    driver: receiver
  network: {{latency: 0 s, eager_limit: 0 B, driver: caller}}
  uncached: [{{above: 1 MB, reduce_cost: 1 ns/B, shm: {{recv_cost: 0.75 ns/B}}}}]
placement: 2
job: {{collective: pingpong, algorithm: blocking, bytes: {} B}}
)",
                                                    size));
  return run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    const Range came = work.scratch.first(work.data.size);
    co_await comm.sendrecv(work.data, 1 - comm.rank(), came, 1 - comm.rank());
    co_await comm.reduce(work.data, came);
  });
}

void expect_exchange(double size, double own_s, double copy_cost, double reduce_cost) {
  const double told = 1 * us, request = 1 * us;
  const Report report = exchange_in_memory(size);
  for (const int rank : {0, 1})
    expect_seconds(finish(report, rank), request + own_s + size * (copy_cost + reduce_cost) + told);
}

TEST_F(Sizes, a_receiver_pays_what_the_size_costs) {
  expect_exchange(10e3, 2 * us, 0.75e-9, 0.5e-9);
}

TEST_F(Sizes, a_receiver_pays_what_a_larger_size_costs) {
  expect_exchange(10'004, 3 * us, 0.25e-9, 0.5e-9);
}

TEST_F(Sizes, a_vector_that_the_caches_just_hold_costs_no_more) {
  expect_exchange(1e6, 3 * us, 0.25e-9, 0.5e-9);
}

TEST_F(Sizes, a_vector_beyond_the_caches_has_costs_of_its_own) {
  expect_exchange(1'000'004, 3 * us, 0.75e-9, 1e-9);
}

constexpr double kept = wire + 250'000 / bandwidth;

TEST_F(Sizes, a_message_after_a_handshake_keeps_its_way_busy_for_a_gap_too) {
  Scenario scenario = rendezvous();
  network(scenario).gap = {250'000};
  const double handshake = send_overhead + latency + recv_overhead + latency;
  expect_seconds(finish(run(scenario, send_and_receive), 1), handshake + kept + latency);
}

TEST_F(Sizes, the_next_message_waits_for_the_gap_of_the_one_before) {
  Scenario scenario = with_nic(only_bytes(), Progress::nic);
  network(scenario).gap = {250'000};
  const Report report = run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    for (int i = 0; i < 2; ++i) {
      if (comm.rank() == 0) co_await comm.send(work.data, 1);
      if (comm.rank() == 1) co_await comm.recv(work.data, 0);
    }
  });
  expect_seconds(finish(report, 1), 2 * kept);
}

// Fair shares would end both at 2 kept.
TEST_F(Sizes, messages_with_a_gap_that_a_nic_moves_leave_one_after_the_other) {
  Scenario scenario = with_nic(only_bytes(), Progress::nic);
  network(scenario).gap = {250'000};
  const Report report = run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      Request first = comm.isend(work.data, 1), second = comm.isend(work.data, 2);
      co_await comm.wait(first);
      co_await comm.wait(second);
    }
    if (comm.rank() == 1 || comm.rank() == 2) co_await comm.recv(work.data, 0);
  });
  expect_seconds(finish(report, 1), kept);
  expect_seconds(finish(report, 2), 2 * kept);
}

// The mean of n exponential times lies within 4 mean/sqrt(n) of their mean but once in 16,000.
TEST_F(Sizes, jitter_has_the_mean_that_it_says_and_never_shortens) {
  constexpr int messages = 2000;
  Scenario scenario = eager();
  scenario.job.repetitions = messages;
  network(scenario).jitter = Seconds(50 * us);
  const Report report = run(scenario, send_and_receive);
  const double without = send_overhead + send_copy + wire + latency + recv_overhead + recv_copy;
  double sum = 0;
  for (const double sample : report.times_s) {
    EXPECT_GE(sample, without * (1 - 1e-9));
    sum += sample - without;
  }
  EXPECT_NEAR(sum / messages, 50 * us, 4 * 50 * us / std::sqrt(messages));
}

// Jitter, of 50 us in the mean, of a message: the seed, its sender, receiver, and number.
double drawn(std::initializer_list<std::uint64_t> message) {
  const std::uint64_t bits = random_of(message);
  return -std::log1p(-static_cast<double>(bits >> 11) * 0x1p-53) * 50 * us;
}

TEST_F(Sizes, jitter_is_the_same_for_the_same_seed) {
  Scenario scenario = eager();
  scenario.job.repetitions = 2;
  network(scenario).jitter = Seconds(50 * us);
  const Report report = run(scenario, send_and_receive);
  const double without = send_overhead + send_copy + wire + latency + recv_overhead + recv_copy;
  expect_seconds(report.times_s.at(0), without + drawn({~1ULL, 0, 1, 0}));
  expect_seconds(report.times_s.at(1), without + drawn({~(1 + 0x9e3779b97f4a7c15u), 0, 1, 1}));
}

TEST_F(Sizes, jitter_of_a_message_hangs_on_no_other) {
  Scenario scenario = eager();
  network(scenario).jitter = Seconds(50 * us);
  const Report report = run(scenario, send_beside_a_quicker_one);
  const double without = send_overhead + send_copy + wire + latency + recv_overhead + recv_copy;
  expect_seconds(finish(report, 1), without + drawn({~1ULL, 0, 1, 0}));
}

}  // namespace
}  // namespace ringscope::rules::sizes_test
