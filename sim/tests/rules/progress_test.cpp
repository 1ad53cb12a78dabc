// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 3: does a transfer stand still while an end of it is outside MPI, but for what the OS moves?
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::progress_test {
namespace {

class Stopped : public SimulationTest {};

// Ranks 2 and 3 say when an end leaves MPI: rank 0 sends to rank 1, and each of the two waits for
// a message without bytes before it computes for a while in the middle of the transfer.
constexpr double away = 10 * ms;
constexpr double sender_leaves = 0.25 * ms, receiver_leaves = 0.5 * ms;

Task leave_for(Communicator comm, Request transfer, int until_told_by, double seconds) {
  co_await comm.recv(nothing, until_told_by, 1);
  co_await comm.compute(Duration(seconds));
  co_await comm.wait(transfer);
}

Task tell(Communicator comm, int whom, double when) {
  co_await comm.compute(Duration(when));
  co_await comm.send(nothing, whom, 1);
}

Task sender_leaves_text(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0)
    co_await leave_for(comm, comm.isend(work.data, 1), 2, options.compute.count());
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  if (comm.rank() == 2) co_await tell(comm, 0, sender_leaves);
}

Task receiver_leaves_text(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1)
    co_await leave_for(comm, comm.irecv(work.data, 0), 2, options.compute.count());
  if (comm.rank() == 2) co_await tell(comm, 1, receiver_leaves);
}

Task both_leave_text(Communicator comm, Workspace work, Options options) {
  const double seconds = options.compute.count();
  if (comm.rank() == 0) co_await leave_for(comm, comm.isend(work.data, 1), 2, seconds);
  if (comm.rank() == 1) co_await leave_for(comm, comm.irecv(work.data, 0), 3, seconds);
  if (comm.rank() == 2) co_await tell(comm, 0, sender_leaves);
  if (comm.rank() == 3) co_await tell(comm, 1, receiver_leaves);
}

TEST_F(Stopped, while_the_sender_computes) {
  const Report report = run(only_bytes(), sender_leaves_text, compute(away));
  expect_seconds(finish(report, 0), wire + away);
  expect_seconds(finish(report, 1), wire + away);
}

TEST_F(Stopped, while_the_receiver_computes) {
  const Report report = run(only_bytes(), receiver_leaves_text, compute(away));
  expect_seconds(finish(report, 0), wire + away);
  expect_seconds(finish(report, 1), wire + away);
}

TEST_F(Stopped, until_both_are_back) {
  const Report report = run(only_bytes(), both_leave_text, compute(away));
  const double stood = receiver_leaves + away - sender_leaves;
  expect_seconds(finish(report, 0), wire + stood);
  expect_seconds(finish(report, 1), wire + stood);
}

TEST_F(Stopped, by_a_reduction_too) {
  Scenario scenario = only_bytes();
  scenario.library.reduce_cost = {4e-9};
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      const Request outgoing = comm.isend(work.data, 1);
      co_await comm.recv(nothing, 2, 1);
      co_await comm.reduce(work.data, work.scratch);
      co_await comm.wait(outgoing);
    }
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
    if (comm.rank() == 2) co_await tell(comm, 0, sender_leaves);
  };
  expect_seconds(finish(run(scenario, text), 1), wire + bytes * 4e-9);
}

TEST_F(Stopped, never_when_a_nic_moves_the_bytes) {
  const Report report =
      run(with_nic(only_bytes(), Progress::caller), both_leave_text, compute(away));
  expect_seconds(finish(report, 0), sender_leaves + away);
  expect_seconds(finish(report, 1), receiver_leaves + away);
}

TEST_F(Stopped, never_when_a_thread_does) {
  const Report report =
      run(with_thread(only_bytes(), ProgressCore::spare), both_leave_text, compute(away));
  expect_seconds(finish(report, 1), receiver_leaves + away);
}

// The transfer ends at the very instant at which its sender leaves.
TEST_F(Stopped, not_when_it_ends_as_the_sender_leaves) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0)
      co_await leave_for(comm, comm.isend(work.data, 1), 2, options.compute.count());
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
    if (comm.rank() == 2) co_await tell(comm, 0, wire);
  };
  const Report report = run(only_bytes(), text, compute(away));
  expect_seconds(finish(report, 0), wire + away);
  expect_seconds(finish(report, 1), wire);
}

TEST_F(Stopped, nor_with_a_buffer) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) {
      const std::array both = {comm.isend(work.data.first(500'000), 1),
                               comm.isend(work.data.first(500'000), 3)};
      co_await comm.recv(nothing, 2, 1);
      co_await comm.compute(options.compute);
      co_await comm.wait_all(both);
    }
    if (comm.rank() == 1 || comm.rank() == 3) co_await comm.recv(work.data, 0);
    if (comm.rank() == 2) co_await tell(comm, 0, wire);
  };
  const Report report = run(with_buffer(only_bytes(), 1000), text, compute(away));
  expect_seconds(finish(report, 0), wire + away);
  expect_seconds(finish(report, 1), wire);
  expect_seconds(finish(report, 3), wire);
}

// With a buffer of `b` bytes, b bytes move on while an end is away; then the transfer stands.
constexpr std::uint64_t buffer = 100'000;

TEST_F(Stopped, after_what_the_os_moves_on_for_the_sender) {
  const Report report = run(with_buffer(only_bytes(), buffer), sender_leaves_text, compute(away));
  expect_seconds(finish(report, 0), wire + away - buffer / bandwidth);
  expect_seconds(finish(report, 1), wire + away - buffer / bandwidth);
}

TEST_F(Stopped, after_what_the_os_takes_in_for_the_receiver) {
  const Report report = run(with_buffer(only_bytes(), buffer), receiver_leaves_text, compute(away));
  expect_seconds(finish(report, 1), wire + away - buffer / bandwidth);
}

// The sender's OS has something to send at once, the receiver's when the sender is back.
TEST_F(Stopped, after_the_buffers_of_both_when_both_leave) {
  const Report report = run(with_buffer(only_bytes(), buffer), both_leave_text, compute(away));
  const double stood = receiver_leaves + away - sender_leaves - 2 * buffer / bandwidth;
  expect_seconds(finish(report, 0), wire + stood);
  expect_seconds(finish(report, 1), wire + stood);
}

// A sender that is the bottleneck gains nothing: it pays later for what moved without it.
TEST_F(Stopped, and_the_sender_pays_for_those_bytes_when_it_is_back) {
  const double cost = 4e-9;  // core-bound: the wire takes 1 ns/B
  const Report report =
      run(with_buffer(only_bytes(cost), buffer), sender_leaves_text, compute(away));
  expect_seconds(finish(report, 0), bytes * cost + away);
}

TEST_F(Stopped, and_the_receiver_pays_too) {
  const double cost = 4e-9;
  const Report report =
      run(with_buffer(only_bytes(0, cost), buffer), receiver_leaves_text, compute(away));
  expect_seconds(finish(report, 1), bytes * cost + away);
}

// A fast core pays while the wire is busy: at half its speed it would still keep the wire full.
TEST_F(Stopped, and_paying_does_not_slow_a_wire_that_leaves_half_of_the_core) {
  const Report report =
      run(with_buffer(only_bytes(0.25e-9), buffer), sender_leaves_text, compute(away));
  expect_seconds(finish(report, 0), wire + away - buffer / bandwidth);
}

// The OS has all that is left: the receiver has its message, the sender still has to pay.
TEST_F(Stopped, nobody_who_has_all_bytes_waits_for_the_other_to_pay) {
  const double cost = 0.5e-9;
  const Report report =
      run(with_buffer(only_bytes(cost), 1'000'000), sender_leaves_text, compute(away));
  const double left = bytes - sender_leaves * bandwidth;
  expect_seconds(finish(report, 1), wire);
  expect_seconds(finish(report, 0), sender_leaves + away + left * cost);
}

TEST_F(Stopped, and_the_sender_does_not_wait_for_a_receiver_whose_os_took_them) {
  const double cost = 0.5e-9;
  const Report report =
      run(with_buffer(only_bytes(0, cost), 1'000'000), receiver_leaves_text, compute(away));
  const double left = bytes - receiver_leaves * bandwidth;
  expect_seconds(finish(report, 0), wire);
  expect_seconds(finish(report, 1), receiver_leaves + away + left * cost);
}

}  // namespace
}  // namespace ringscope::rules::progress_test
