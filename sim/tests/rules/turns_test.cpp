// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 10: do messages of one pair go together or in turn after their handshakes, as `order` says?
#include <array>
#include <vector>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::turns_test {
namespace {

constexpr int messages = 5;

Scenario in_order(Scenario scenario, Order order = Order::fifo) {
  network(scenario).order = order;
  return scenario;
}

Scenario moved_by(Driver driver) {
  return driver == Driver::nic ? with_nic(only_bytes(), Progress::nic) : only_bytes();
}

/// Who moves the data.
class Turns : public SimulationTest, public testing::WithParamInterface<Driver> {};
INSTANTIATE_TEST_SUITE_P(By, Turns, testing::Values(Driver::caller, Driver::nic),
                         [](const auto& driver) {
                           return driver.param == Driver::nic ? "nic" : "caller";
                         });
class Turn : public SimulationTest {};

// Rank 0 sends five messages at once. Rank 1 tells rank 2 when it has the first and rank 3 when it
// has the second, which takes no time.
Task five_at_once(Communicator comm, Workspace work, Options) {
  std::vector<Request> all;
  for (int i = 0; i < messages; ++i) {
    if (comm.rank() == 0) all.push_back(comm.isend(work.data, 1, i));
    if (comm.rank() == 1) all.push_back(comm.irecv(work.data, 0, i));
  }
  for (int i = 0; i < std::ssize(all); ++i) {
    co_await comm.wait(all[static_cast<std::size_t>(i)]);
    if (comm.rank() == 1 && i < 2) co_await comm.send(nothing, 2 + i);
  }
  if (comm.rank() > 1) co_await comm.recv(nothing, 1);
}

void expect_there(const Scenario& scenario, double first, double second, double last) {
  const Report report = run(scenario, five_at_once);
  expect_seconds(finish(report, 2), first);
  expect_seconds(finish(report, 3), second);
  expect_seconds(finish(report, 1), last);
}

TEST_P(Turns, in_order_message_i_is_there_after_i_times_the_wire) {
  expect_there(in_order(moved_by(GetParam())), wire, 2 * wire, messages * wire);
}

TEST_P(Turns, together_all_are_there_when_the_last_would_be) {
  const double all = messages * wire;
  expect_there(moved_by(GetParam()), all, all, all);
}

TEST_P(Turns, messages_to_others_share_the_wire_all_the_same) {
  const Report report =
      run(in_order(moved_by(GetParam())), [](Communicator comm, Workspace work, Options) -> Task {
        if (comm.rank() == 0) {
          const std::array both = {comm.isend(work.data, 1), comm.isend(work.data, 2)};
          co_await comm.wait_all(both);
        }
        if (comm.rank() == 1 || comm.rank() == 2) co_await comm.recv(work.data, 0);
      });
  for (const int rank : {1, 2}) expect_seconds(finish(report, rank), 2 * wire);
}

// Handshakes are answered as receives are posted: that is the order, not that of the sends.
TEST_P(Turns, a_message_whose_receive_comes_late_lets_the_others_go_first) {
  const Report report =
      run(in_order(moved_by(GetParam())), [](Communicator comm, Workspace work, Options) -> Task {
        std::array<Request, 2> both;
        if (comm.rank() == 0) {
          both = {comm.isend(work.data, 1, 0), comm.isend(work.data, 1, 1)};
          co_await comm.wait_all(both);
        }
        if (comm.rank() != 1) co_return;
        co_await comm.recv(work.data, 0, 1);
        co_await comm.recv(work.data, 0, 0);
      });
  expect_seconds(finish(report, 1), 2 * wire);
}

// After 0.4 ms of two messages the sender leaves MPI for 3 ms. Rank 1 tells rank 2 when it has
// message `rounds`.
constexpr double until = 0.4 * ms, away = 3 * ms;

Task send_two_and_leave(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) {
    const std::array both = {comm.isend(work.data, 1, 0), comm.isend(work.data, 1, 1)};
    co_await comm.recv(nothing, 3);
    co_await comm.compute(Duration(away));
    co_await comm.wait_all(both);
  }
  if (comm.rank() == 1) {
    const std::array both = {comm.irecv(work.data, 0, 0), comm.irecv(work.data, 0, 1)};
    const std::size_t first = options.rounds == 1 ? 0 : 1;
    co_await comm.wait(both[first]);
    co_await comm.send(nothing, 2);
    co_await comm.wait(both[1 - first]);
  }
  if (comm.rank() == 2) co_await comm.recv(nothing, 1);
  if (comm.rank() != 3) co_return;
  co_await comm.compute(Duration(until));
  co_await comm.send(nothing, 0);
}

void expect_both_there(const Scenario& scenario, double first, double second) {
  const Report report = run(scenario, send_two_and_leave, {.rounds = 1});
  expect_seconds(finish(report, 2), first);
  expect_seconds(finish(report, 1), second);
}

TEST_F(Turn, a_sender_out_of_mpi_holds_up_the_first_and_with_it_the_next) {
  expect_both_there(in_order(only_bytes()), away + wire, away + 2 * wire);
}

TEST_F(Turn, the_system_moves_its_buffer_of_the_first) {
  const double moved = 1e5 / bandwidth;
  expect_both_there(in_order(with_buffer(only_bytes(), 100'000)), away + wire - moved,
                    away + 2 * wire - moved);
}

// 0.6 MB of the buffer's 0.8 MB are of the first message.
TEST_F(Turn, next_message_uses_the_rest_of_the_buffer) {
  const double moved = 8e5 / bandwidth;
  expect_both_there(in_order(with_buffer(only_bytes(), 800'000)), wire, away + 2 * wire - moved);
}

double waited(const Report& report, int rank, Cause cause) {
  return report.rank_reports.at(static_cast<std::size_t>(rank))
      .waited_for.at(static_cast<std::size_t>(cause));
}

double on_path(const Report& report, Cause cause) {
  double seconds = 0;
  for (const PathSegment& segment : report.path)
    if (segment.cause == cause) seconds += segment.seconds;
  return seconds;
}

// The second message was held up by what held up the first.
TEST_F(Turn, a_message_that_waits_is_held_up_by_what_holds_up_the_first) {
  const Report report = run(in_order(only_bytes()), send_two_and_leave, {.rounds = 2});
  expect_seconds(waited(report, 1, Cause::wire), 2 * wire);
  expect_seconds(waited(report, 1, Cause::progress), away);
}

TEST_P(Turns, the_wire_is_to_blame_for_all_that_wait) {
  const Scenario scenario = in_order(moved_by(GetParam()));
  const Report report = run(scenario, five_at_once);
  expect_seconds(waited(report, 1, Cause::wire), messages * wire);
  expect_seconds(on_path(report, Cause::wire), messages * wire);
}

// A NIC's data stop for nobody. The last message leaves when the last but one is gone.
TEST_F(Turn, with_overheads_only_the_first_waits_for_its_handshake) {
  const Scenario scenario = in_order(with_nic(rendezvous(), Progress::nic));
  const double answered = send_overhead + latency + latency;
  const Report report = run(scenario, five_at_once);
  expect_seconds(finish(report, 1), answered + messages * wire + latency + recv_overhead);
}

// Two threads with endpoints of their own have queues of their own.
Task send_by_thread(Communicator comm, Range range, int tag) { co_await comm.send(range, 1, tag); }
Task receive_by_thread(Communicator comm, Range range, int tag) {
  co_await comm.recv(range, 0, tag);
  co_await comm.send(nothing, 2 + tag);
}

TEST_P(Turns, endpoints_do_not_wait_for_each_other) {
  Scenario scenario = in_order(moved_by(GetParam()));
  scenario.library.endpoints = 2;
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() > 1) {
      co_await comm.recv(nothing, 1);
      co_return;
    }
    const auto move = comm.rank() == 0 ? send_by_thread : receive_by_thread;
    const Thread other = comm.start(move(comm.thread(1), work.scratch, 1));
    co_await move(comm, work.data, 0);
    co_await comm.join(other);
  };
  const Report report = run(scenario, text, {}, 2);
  for (const int told : {2, 3}) expect_seconds(finish(report, told), 2 * wire);
}

// Bytes that travel with an RTS are in a queue of their own, which is over before the data's.
TEST_P(Turns, the_next_after_the_rts_is_not_the_next_of_the_data) {
  Scenario scenario = in_order(moved_by(GetParam()));
  network(scenario).rts_data = {250'000};
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      const std::array both = {comm.isend(work.data, 1, 0), comm.isend(work.data, 1, 1)};
      co_await comm.wait_all(both);
    }
    if (comm.rank() != 1) co_return;
    co_await comm.recv(work.data, 0, 0);
    co_await comm.compute(Duration(5 * ms));
    co_await comm.recv(work.data, 0, 1);
  };
  // The second's first quarter is behind the first's, and beside the rest of the first.
  expect_seconds(finish(run(scenario, text), 1), 0.25 * wire + wire + 5 * ms + 0.75 * wire);
}

// In shared memory the receiver copies, one message after the other.
TEST_F(Turn, a_receiver_copies_in_order) {
  const Scenario scenario = scenario_of(R"(
cluster:
  network: star
  hosts: 2
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 8}
library:
  base: ideal
  progress: caller
  shm: {latency: 0 s, eager_limit: 0 B, driver: receiver, recv_cost: 1 ns/B, order: fifo}
  network: {latency: 0 s, eager_limit: 0 B, driver: caller}
placement: 2-2
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
)");
  const double copy = bytes * 1e-9;
  const Report report = run(scenario, five_at_once);
  expect_seconds(finish(report, 2), copy);
  expect_seconds(finish(report, 1), messages * copy);
}

// A copy engine has one queue for all that leave it, whatever the order of a pair's.
TEST_F(Turn, a_copy_engine_keeps_its_own_order) {
  Scenario scenario = in_order(with_nic(only_bytes(), Progress::nic));
  network(scenario).gap = {250'000};
  const Report report = run(scenario, [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      const std::array both = {comm.isend(work.data, 1), comm.isend(work.data, 2)};
      co_await comm.wait_all(both);
    }
    if (comm.rank() == 1 || comm.rank() == 2) co_await comm.recv(work.data, 0);
  });
  expect_seconds(finish(report, 1), 1.25 * wire);
  expect_seconds(finish(report, 2), 2 * 1.25 * wire);
}

}  // namespace
}  // namespace ringscope::rules::turns_test
