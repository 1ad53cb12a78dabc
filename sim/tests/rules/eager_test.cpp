// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 1: what does an eager message cost its sender, and when does its receiver have it?
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::eager_test {
namespace {

class Eager : public SimulationTest {};

// Date of the bytes' arrival at the receiver's host.
constexpr double sent = send_overhead + send_copy;
constexpr double arrival = sent + wire + latency;
constexpr double taking = recv_overhead + recv_copy;

Task send_and_receive(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

TEST_F(Eager, the_sender_pays_overhead_and_copy_and_the_receiver_its_own_after_the_wire) {
  const Report report = run(eager(), send_and_receive);
  expect_seconds(finish(report, 0), sent);
  expect_seconds(finish(report, 1), arrival + taking);
}

TEST_F(Eager, up_to_the_limit_and_not_beyond_a_send_ends_before_its_receive_begins) {
  Scenario scenario = eager();
  network(scenario).eager_limit = {1'000'000};
  const Report report = run(scenario, send_and_receive);
  expect_seconds(finish(report, 0), sent);
}

TEST_F(Eager, one_byte_above_the_limit_the_sender_waits_for_the_handshake) {
  Scenario scenario = eager();
  network(scenario).eager_limit = {999'999};
  const Report report = run(scenario, send_and_receive);
  expect_seconds(finish(report, 0), send_overhead + 2 * latency + recv_overhead + wire);
}

TEST_F(Eager, without_bytes_only_overheads_and_latency_are_left) {
  const Report report = run(eager(), [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(nothing, 1);
    if (comm.rank() == 1) co_await comm.recv(nothing, 0);
  });
  expect_seconds(finish(report, 0), send_overhead);
  expect_seconds(finish(report, 1), send_overhead + latency + recv_overhead);
}

Task compute_then_receive(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    co_await comm.compute(options.compute);
    co_await comm.recv(work.data, 0);
  }
}

TEST_F(Eager, a_late_receiver_copies_once_more) {
  const double late = 10 * ms;
  const Report report = run(eager(), compute_then_receive, compute(late));
  expect_seconds(finish(report, 0), sent);
  expect_seconds(finish(report, 1), late + taking + unexpected_copy);
}

TEST_F(Eager, a_receiver_that_posts_before_the_arrival_does_not) {
  const Report report = run(eager(), compute_then_receive, compute(arrival / 2));
  expect_seconds(finish(report, 1), arrival + taking);
}

// Rank 1 is in MPI all the time, for rank 2's message: its engine takes rank 0's at the arrival.
TEST_F(Eager, an_engine_that_runs_takes_an_unexpected_message_when_it_arrives) {
  const double late = 10 * ms;
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) {
      co_await comm.recv(nothing, 2);
      co_await comm.recv(work.data, 0);
    }
    if (comm.rank() == 2) {
      co_await comm.compute(options.compute);
      co_await comm.send(nothing, 1);
    }
  };
  const Report report = run(eager(), text, compute(late));
  expect_seconds(finish(report, 1),
                 late + send_overhead + latency + recv_overhead + unexpected_copy);
}

// A progress thread is at its first copy when the receive is posted.
TEST_F(Eager, a_receive_posted_during_the_first_copy_waits_for_it_and_then_copies_again) {
  const double during = arrival + recv_overhead + recv_copy / 2;
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) {
      co_await comm.compute(options.compute);
      co_await comm.recv(work.data, 0);
    }
  };
  const Report report = run(with_thread(eager(), ProgressCore::spare), text, compute(during));
  expect_seconds(finish(report, 1), arrival + taking + unexpected_copy);
}

Task post_compute_wait(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    const Request incoming = comm.irecv(work.data, 0);
    co_await comm.compute(options.compute);
    co_await comm.wait(incoming);
  }
}

TEST_F(Eager, while_the_receiver_computes_the_bytes_wait_for_its_engine) {
  const double late = 10 * ms;
  const Report report = run(eager(), post_compute_wait, compute(late));
  expect_seconds(finish(report, 1), late + taking);
}

TEST_F(Eager, a_progress_thread_takes_them_meanwhile) {
  const double late = 10 * ms;
  const Report report =
      run(with_thread(eager(), ProgressCore::spare), post_compute_wait, compute(late));
  expect_seconds(finish(report, 1), late);
}

TEST_F(Eager, a_nic_takes_them_and_leaves_the_overhead_to_the_caller) {
  const double late = 10 * ms;
  const Report report = run(with_nic(eager(), Progress::nic), post_compute_wait, compute(late));
  expect_seconds(finish(report, 1), late + recv_overhead);
}

// Two copies of one core, one after the other: the second waits for the first.
TEST_F(Eager, two_messages_at_once_are_taken_one_after_the_other) {
  const Text text = [](Communicator comm, Workspace work, Options options) -> Task {
    if (comm.rank() == 0 || comm.rank() == 2) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) {
      const std::array both = {comm.irecv(work.data, 0), comm.irecv(work.scratch, 2)};
      co_await comm.compute(options.compute);
      co_await comm.wait_all(both);
    }
  };
  const double late = 10 * ms;
  const Report report = run(eager(), text, compute(late));
  expect_seconds(finish(report, 1), late + 2 * taking);
}

// Three blocking sends: copies one after the other, and the cable takes up to three at once.
TEST_F(Eager, a_sender_that_copies_slower_than_the_wire_is_the_bottleneck) {
  Scenario scenario = eager();
  network(scenario).send_cost = {2e-9};
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    for (int i = 0; i < 3; ++i) {
      if (comm.rank() == 0) co_await comm.send(work.data, 1);
      if (comm.rank() == 1) co_await comm.recv(work.data, 0);
    }
  };
  const Report report = run(scenario, text);
  expect_seconds(finish(report, 0), 3 * (send_overhead + bytes * 2e-9));
  expect_seconds(finish(report, 1), 3 * (send_overhead + bytes * 2e-9) + wire + latency + taking);
}

}  // namespace
}  // namespace ringscope::rules::eager_test
