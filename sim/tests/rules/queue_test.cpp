// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 9: does a control message wait behind the bytes that the systems hold, and nothing else? And
// do the bytes between two processes keep their order?
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::queue_test {
namespace {

class Queue : public SimulationTest {};

// Rank 2's message comes while rank 0 sends to rank 1: the answer to rank 2 leaves by the same
// cable as the data for rank 1.
Task answer_while_sending(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) {
    const std::array both = {comm.irecv(work.scratch, 2), comm.isend(work.data, 1)};
    co_await comm.wait_all(both);
  }
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  if (comm.rank() == 2) {
    co_await comm.compute(options.compute);
    co_await comm.send(work.data, 0);
  }
}

double end_with(const Scenario& scenario, double late) {
  return finish(run(scenario, answer_while_sending, compute(late)), 2);
}

TEST_F(Queue, an_answer_waits_behind_the_buffer_of_a_message_in_flight) {
  const double buffer = 1e5 / bandwidth;
  expect_seconds(end_with(with_buffer(only_bytes(), 100'000), 0.4 * ms), 0.4 * ms + buffer + wire);
}

TEST_F(Queue, no_more_waits_than_is_left) {
  expect_seconds(end_with(with_buffer(only_bytes(), 900'000), 0.8 * ms), wire + wire);
}

TEST_F(Queue, without_a_buffer_nothing_waits) {
  expect_seconds(end_with(only_bytes(), 0.4 * ms), 0.4 * ms + wire);
}

TEST_F(Queue, on_a_cable_that_is_not_full_nothing_waits) {
  const double twice_the_wire = 2e-9;
  const Scenario scenario = with_buffer(only_bytes(twice_the_wire, 0), 900'000);
  const double own_copy = bytes * twice_the_wire;
  expect_seconds(end_with(scenario, 0.4 * ms), 0.4 * ms + own_copy);
}

TEST_F(Queue, a_nic_keeps_no_bytes_of_a_system) {
  const Scenario scenario = with_nic(with_buffer(only_bytes(), 900'000), Progress::caller);
  expect_seconds(end_with(scenario, 0.4 * ms), 0.4 * ms + wire);
}

// Bytes that travel with the RTS pay as an eager message does; the rest follows the handshake.
TEST_F(Queue, data_that_travel_with_the_rts_are_on_the_wire_before_the_answer) {
  Scenario scenario = rendezvous();
  network(scenario).rts_data = {250'000};
  const Report report = run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  });
  const double first = send_overhead + 0.25 * (send_copy + wire) + latency;
  const double answer = recv_overhead + 0.25 * recv_copy + latency;
  expect_seconds(finish(report, 0), first + answer + 0.75 * wire);
  expect_seconds(finish(report, 1), first + answer + 0.75 * wire + latency);
}

TEST_F(Queue, a_message_that_travels_with_its_rts_needs_the_answer_all_the_same) {
  Scenario scenario = rendezvous();
  network(scenario).rts_data = {2'000'000};
  const Report report = run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  });
  expect_seconds(finish(report, 0),
                 send_overhead + send_copy + wire + latency + recv_overhead + recv_copy + latency);
}

// Rank 1 tells rank 2 when it has the first of two messages.
Task two_in_a_row(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) {
    co_await comm.send(work.data, 1);
    co_await comm.send(work.data, 1);
  }
  if (comm.rank() == 1) {
    co_await comm.recv(work.data, 0);
    co_await comm.send(nothing, 2);
    co_await comm.recv(work.data, 0);
  }
  if (comm.rank() == 2) co_await comm.recv(nothing, 1);
}

TEST_F(Queue, an_eager_message_does_not_share_the_wire_with_the_next_one_to_the_same_process) {
  const Report report = run(eager(), two_in_a_row);
  const double sent = send_overhead + send_copy, taken = recv_overhead + recv_copy;
  const double first = sent + wire + latency + taken;
  expect_seconds(finish(report, 2), first + send_overhead + latency + recv_overhead);
  expect_seconds(finish(report, 1), sent + 2 * wire + latency + taken);
}

}  // namespace
}  // namespace ringscope::rules::queue_test
