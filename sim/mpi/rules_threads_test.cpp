// Rule 6: what do more threads of a process gain, with one endpoint for all and with one for each?
#include <algorithm>
#include <vector>

#include "sim/mpi/rules_for_test.hpp"

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

// The four ranks may use the one core of their host, and so may their threads.
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

// Copies of eager messages take the lock too.
TEST_P(Threads, on_one_endpoint_copy_one_after_the_other) {
  const int k = GetParam();
  Scenario scenario = only_bytes(cost);
  network(scenario).eager_limit = *parse_bytes("unlimited");
  expect_seconds(finish(run_threads(scenario, k, 1), 0), k * bytes * cost);
}

Task test_until(Communicator comm, Range range, int from, Duration pause) {
  const Request incoming = comm.irecv(range, from);
  while (co_await comm.test(incoming) == 0) co_await comm.compute(pause);
}

// Both threads ask again and again, and both messages come while the engine is busy.
TEST(ThreadsThat, test_at_once_both_get_an_answer) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 1)
    GTEST_SKIP() << "SimGrid's engine exists once per process; run under ctest";
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) {
      const Thread other = comm.start(test_until(comm.thread(1), work.scratch, 2, options.compute));
      co_await test_until(comm, work.data, 1, options.compute);
      co_await comm.send(nothing, 2, 1);
      co_await comm.join(other);
    } else if (comm.rank() == 1) {
      co_await comm.send(work.data, 0);
    } else if (comm.rank() == 2) {
      co_await comm.recv(nothing, 0, 1);
      co_await comm.send(work.data, 0);
    }
  };
  const Report report = run(eager(), text, compute(0.1 * ms), 2);
  EXPECT_GT(finish(report, 0), 2 * (send_overhead + send_copy + wire + latency));
}

}  // namespace
}  // namespace ringscope::rules
