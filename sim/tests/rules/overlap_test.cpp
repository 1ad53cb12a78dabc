// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 5: how long does isend; compute T; wait take, by who makes progress?
#include <algorithm>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

/// T, in ms: less than the transfer, about it, and more.
class Overlap : public SimulationTest, public testing::WithParamInterface<double> {
 protected:
  static double time() { return GetParam() * ms; }
};
std::string name_of_time(const testing::TestParamInfo<double>& time) {
  return std::to_string(static_cast<int>(time.param * 1000)) + "us";
}
INSTANTIATE_TEST_SUITE_P(Times, Overlap, testing::Values(0.5, 1.0, 3.0, 20.0), name_of_time);

// Date of the CTS at the sender, from the end of its overhead on.
constexpr double handshake = latency + recv_overhead + latency;

Task overlap(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(work.data, 1);
    co_await comm.compute(options.compute);
    co_await comm.wait(outgoing);
  }
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

TEST_P(Overlap, with_the_caller_is_the_sum) {
  const Report report = run(rendezvous(), overlap, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + time() + wire);
}

TEST_P(Overlap, with_a_nic_is_the_greater) {
  const Report report = run(with_nic(rendezvous(), Progress::nic), overlap, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + std::max(time(), 2 * latency + wire));
}

TEST_P(Overlap, with_a_thread_on_a_spare_core_is_the_greater) {
  const Report report =
      run(with_thread(rendezvous(), ProgressCore::spare), overlap, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + std::max(time(), handshake + wire));
}

// The wire takes half of the core, and that is the thread's fair share of it.
TEST_P(Overlap, with_a_thread_on_the_same_core_and_a_slow_wire_adds_what_the_thread_takes) {
  Scenario scenario = with_thread(rendezvous(), ProgressCore::shared);
  const Report report = run(scenario, overlap, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + std::max(time() + send_copy, handshake + wire));
}

// Whatever the core does first, it has to do both.
TEST_P(Overlap, with_a_thread_on_the_same_core_that_is_the_bottleneck_is_the_sum_of_its_work) {
  Scenario scenario = with_thread(rendezvous(), ProgressCore::shared);
  const double cost = 4e-9;
  network(scenario).send_cost = {cost};
  const Report report = run(scenario, overlap, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + time() + bytes * cost);
}

// Ten tests. The first one that sees the CTS starts the transfer; after each the OS moves `buffer`
// bytes on, or what the wire takes, and the next test or the wait pays for them.
constexpr int pieces = 10;

Task overlap_with_tests(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(work.data, 1);
    int sent = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      co_await comm.compute(options.compute / pieces);
      if (!sent) sent = co_await comm.test(outgoing);
    }
    if (!sent) co_await comm.wait(outgoing);
  }
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

double moved_between_tests(double time, double buffer) {
  return (pieces - 1) * std::min(buffer, time / pieces * bandwidth);
}

TEST_P(Overlap, with_tests_moves_a_buffer_after_each) {
  const double buffer = 20'000;
  const Report report = run(with_buffer(rendezvous(), static_cast<std::uint64_t>(buffer)),
                            overlap_with_tests, compute(time()));
  // While a test pays, the wire moves on: what it takes to pay does not lengthen the whole.
  const double moved = moved_between_tests(time(), buffer);
  expect_seconds(finish(report, 0), send_overhead + time() + (bytes - moved) / bandwidth);
}

TEST_P(Overlap, with_tests_and_no_buffer_is_the_sum) {
  const Report report = run(rendezvous(), overlap_with_tests, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + time() + wire);
}

// RDMA: one test sees the CTS, and the NIC does the rest.
TEST_P(Overlap, with_tests_and_a_nic_that_moves_the_bytes_starts_at_the_first_test) {
  const Report report =
      run(with_nic(rendezvous(), Progress::caller), overlap_with_tests, compute(time()));
  expect_seconds(finish(report, 0), send_overhead + std::max(time(), time() / pieces + wire));
}

// The receiver's side of it.
Task receiver_overlap(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    const Request incoming = comm.irecv(work.data, 0);
    co_await comm.compute(options.compute);
    co_await comm.wait(incoming);
  }
}

TEST_P(Overlap, at_the_receiver_with_the_caller_is_the_sum) {
  const Report report = run(rendezvous(), receiver_overlap, compute(time()));
  expect_seconds(finish(report, 1), time() + recv_overhead + latency + wire + latency);
}

TEST_P(Overlap, at_the_receiver_with_a_thread_is_the_greater) {
  const Report report =
      run(with_thread(rendezvous(), ProgressCore::spare), receiver_overlap, compute(time()));
  expect_seconds(finish(report, 1), std::max(time(), send_overhead + handshake + wire + latency));
}

TEST_P(Overlap, at_the_receiver_with_a_nic_is_the_greater) {
  const Report report =
      run(with_nic(rendezvous(), Progress::nic), receiver_overlap, compute(time()));
  expect_seconds(finish(report, 1),
                 std::max(time(), send_overhead + 3 * latency + wire) + recv_overhead);
}

}  // namespace
}  // namespace ringscope::rules
