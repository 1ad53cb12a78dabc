// SPDX-License-Identifier: LGPL-2.1-or-later
// How long does a non-blocking allreduce take beside a computation, by who makes progress?
//
// Source of what a library does in the call that starts one and in those that follow: Hoefler,
// Lumsdaine and Rehm, "Implementation and performance analysis of non-blocking collective
// operations for MPI", SC 2007: its schedule goes on only inside MPI, and its first round is posted
// at once.
#include <fmt/core.h>

#include <algorithm>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::nonblocking_test {
namespace {

constexpr double ms = 1e-3;
constexpr int ranks = 4, steps = 2 * (ranks - 1), reductions = ranks - 1;
constexpr double bandwidth = 1e9, latency = 2 * 10e-6;  ///< of each cable; of two of them
constexpr double chunk = 4e6 / ranks;
constexpr double step = latency + chunk / bandwidth;
constexpr double reduce_cost = 0.5e-9, reduction = chunk * reduce_cost;

/// Four hosts on a star, an allreduce of 4 MB by a ring, and a library as `how` says.
Scenario ring(const std::string& how, double overlap) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 4
  link: {{bandwidth: 1 GB/s, latency: 10 us}}
  host: {{type: simple, cores: 2}}
library: {{base: ideal, {}}}
placement: 1x4
job: {{collective: allreduce, algorithm: ring, bytes: 4 MB, overlap: {} s}}
)",
                                 how, overlap));
}

/// T, in ms: nothing, less than a step of 1.02 ms, about the allreduce's 6.12 ms, and more.
class Nonblocking : public SimulationTest, public testing::WithParamInterface<double> {
 protected:
  static double time() { return GetParam() * ms; }
  static double ring_time(const std::string& how) { return run(ring(how, time())).time_s; }
};
std::string name_of_time(const testing::TestParamInfo<double>& time) {
  return std::to_string(static_cast<int>(time.param * 1000)) + "us";
}
INSTANTIATE_TEST_SUITE_P(Times, Nonblocking, testing::Values(0, 0.5, 3.0, 6.0, 20.0), name_of_time);

const std::string caller = "progress: caller, network: {driver: caller}";

// Beside the computation travels what the call that starts it has sent: its first message.
TEST_P(Nonblocking, with_the_caller_is_the_sum_but_for_the_first_message) {
  expect_seconds(ring_time(caller), std::max(time(), step) + (steps - 1) * step);
}

// A rendezvous: the first message is its RTS.
TEST_P(Nonblocking, with_the_caller_and_a_rendezvous_is_the_sum_but_for_the_first_rts) {
  const double handshakes = 3 * latency + chunk / bandwidth;
  const double expected = std::max(time(), latency) - latency + steps * handshakes;
  expect_seconds(ring_time("progress: caller, network: {driver: caller, eager_limit: 0 B}"),
                 expected);
}

TEST_P(Nonblocking, with_a_nic_is_the_greater) {
  expect_seconds(ring_time("progress: nic"), std::max(time(), steps * step));
}

TEST_P(Nonblocking, with_a_thread_on_a_spare_core_is_the_greater_with_its_reductions) {
  const std::string thread = "progress: thread, progress_core: spare, reduce_cost: 0.5 ns/B";
  expect_seconds(ring_time(thread), std::max(time(), steps * step + reductions * reduction));
}

class NonblockingOnOneCore : public SimulationTest {};

const std::string shared = "progress: thread, progress_core: shared, reduce_cost: 0.5 ns/B";

// The computation is what ends last: its core has done both by then, in whatever turns.
TEST_F(NonblockingOnOneCore, with_its_thread_is_the_sum_of_what_the_core_does) {
  expect_seconds(run(ring(shared, 20 * ms)).time_s, 20 * ms + reductions * reduction);
}

// Nobody else works on the core.
TEST_F(NonblockingOnOneCore, without_a_computation_is_the_allreduce) {
  expect_seconds(run(ring(shared, 0)).time_s, steps * step + reductions * reduction);
}

// A NIC sums up nothing: the reductions take their turns on the core of the rank.
TEST_F(NonblockingOnOneCore, with_a_nic_is_the_sum_of_what_the_core_does) {
  expect_seconds(run(ring("progress: nic, reduce_cost: 0.5 ns/B", 20 * ms)).time_s,
                 20 * ms + reductions * reduction);
}

/// A scenario whose program starts one non-blocking collective itself.
Scenario of_text(const std::string& how) {
  static const Algorithm algorithm = [] {
    Algorithm one = *find_algorithm("allreduce", "ring");
    one.nonblocking = 1;
    return one;
  }();
  Scenario scenario = ring(how, 0);
  scenario.job.overlap.reset();
  scenario.job.algorithm = &algorithm;
  return scenario;
}

constexpr Range nothing{};
constexpr double piece = 2 * ms;  ///< longer than a step

/// Calls MPI_Test on a receive that nobody has sent yet, `options.rounds` times.
Task tests_in_between(Communicator comm, Workspace work, Options options) {
  const Algorithm& allreduce = *find_algorithm("allreduce", "ring");
  const Request other = comm.irecv(nothing, comm.prev(), 7);
  const Thread posted = comm.start(allreduce.run(comm.beside(Beside::nonblocking), work, options),
                                   Beside::nonblocking);
  for (int i = 0; i < options.rounds; ++i) {
    co_await comm.compute(Duration(piece));
    EXPECT_EQ(co_await comm.test(other), 0);
  }
  co_await comm.join(posted);
  co_await comm.send(nothing, comm.next(), 7);
  co_await comm.wait(other);
}

/// The number of tests.
class NonblockingDriven : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Tests, NonblockingDriven, testing::Values(1, 3, steps, steps + 2),
                         testing::PrintToStringParamName());

// Each test finds the message of one step and sends that of the next one.
TEST_P(NonblockingDriven, by_tests_goes_on_by_a_step_with_each) {
  const int tests = GetParam();
  const Report report = run(of_text(caller), tests_in_between, {.rounds = tests});
  expect_seconds(report.time_s, tests * piece + std::max(0, steps - tests) * step + latency);
}

TEST_P(NonblockingDriven, by_tests_of_a_nic_is_done_by_itself) {
  const int tests = GetParam();
  const Report report = run(of_text("progress: nic"), tests_in_between, {.rounds = tests});
  expect_seconds(report.time_s, std::max(tests * piece, steps * step) + latency);
}

// Two of one rank, on vectors of their own, share the cables.
Task two_at_once(Communicator comm, Workspace work, Options options) {
  const Algorithm& allreduce = *find_algorithm("allreduce", "ring");
  Thread posted[2];
  for (const std::size_t i : {0u, 1u}) {
    const int tag = i == 0 ? 0 : 100;
    const Communicator beside =
        comm.beside(Beside::nonblocking).among({0, 1, 2, 3}, i == 0 ? "first" : "second", tag);
    posted[i] =
        comm.start(allreduce.run(beside, {work.data.part(i, 2), work.scratch.part(i, 2)}, options),
                   Beside::nonblocking);
  }
  for (const Thread one : posted) co_await comm.join(one);
}

TEST_F(NonblockingOnOneCore, two_take_turns_on_the_cables_and_hide_each_others_latencies) {
  Scenario scenario = of_text("progress: nic");
  static Algorithm two = *scenario.job.algorithm;
  two.nonblocking = 2;
  scenario.job.algorithm = &two;
  expect_seconds(run(scenario, two_at_once).time_s, steps * chunk / bandwidth + latency);
}

class NonblockingStuck : public SimulationTest {};

Task receive(Communicator comm, Range range, int from) {
  for ([[maybe_unused]] int stage : comm.phase("gather", 1)) co_await comm.recv(range, from);
}

TEST_F(NonblockingStuck, is_named_with_what_it_waits_for) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() != 0) co_return;
    const Thread posted =
        comm.start(receive(comm.beside(Beside::nonblocking), work.data, 1), Beside::nonblocking);
    co_await comm.compute(Duration(1 * ms));
    co_await comm.join(posted);
  };
  try {
    run(of_text(caller), text);
    FAIL() << "no deadlock";
  } catch (const DeadlockError& error) {
    EXPECT_STREQ(error.what(),
                 "deadlock at 1 ms: "
                 "rank 0 waits for its non-blocking collective 1 (exchange/text); "
                 "rank 0 waits for 4 MB from rank 1 "
                 "(exchange/text, gather, step 0, non-blocking collective 1)");
  }
}

}  // namespace
}  // namespace ringscope::nonblocking_test
