// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 15: what waits when a receiver takes no more eager messages?
#include <vector>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

class Room : public SimulationTest {};

constexpr double busy = 20 * ms;

/// Eager messages of which nothing but the wire takes time, and room for two of them.
Scenario room_for_two(double latency_of_link = 0) {
  Scenario scenario = only_bytes();
  network(scenario).eager_limit = *parse_bytes("unlimited");
  network(scenario).eager_room = {2 * static_cast<std::uint64_t>(bytes)};
  network(scenario).latency = SizedTime(Seconds(latency_of_link));
  return scenario;
}

/// Rank 0 sends four messages; rank 1 computes before it receives them.
Task four_to_a_busy_one(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 1) co_await comm.compute(options.compute);
  for (int i = 0; i < 4; ++i) {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  }
}

TEST_F(Room, without_a_limit_all_sends_return_at_once) {
  Scenario scenario = room_for_two();
  network(scenario).eager_room = {};
  const Report report = run(scenario, four_to_a_busy_one, compute(busy));
  EXPECT_EQ(finish(report, 0), 0);
  expect_seconds(finish(report, 1), busy);
}

TEST_F(Room, sends_beyond_it_wait_for_the_receiver) {
  // Two are there when the receiver comes, which makes room for the two others.
  const Report report = run(room_for_two(), four_to_a_busy_one, compute(busy));
  expect_seconds(finish(report, 0), busy);
  expect_seconds(finish(report, 1), busy + 2 * wire);
}

TEST_F(Room, the_word_that_there_is_room_takes_a_latency) {
  const double there = 100 * us;
  const Report report = run(room_for_two(there), four_to_a_busy_one, compute(busy));
  expect_seconds(finish(report, 0), busy + there);
  expect_seconds(finish(report, 1), busy + there + 2 * wire + there);
}

/// Rank 0 posts its sends and computes; it sees that there is room when it is in MPI again.
Task posted_by_one_that_computes(Communicator comm, Workspace work, Options options) {
  std::vector<Request> all;
  for (int i = 0; comm.rank() < 2 && i < 4; ++i)
    all.push_back(comm.rank() == 0 ? comm.isend(work.data, 1) : comm.irecv(work.data, 0));
  if (comm.rank() == 0) co_await comm.compute(options.compute);
  for (const Request request : all) co_await comm.wait(request);
}

TEST_F(Room, blocked_message_leaves_at_the_senders_next_mpi_call) {
  const Report report = run(room_for_two(), posted_by_one_that_computes, compute(busy));
  expect_seconds(finish(report, 1), busy + 2 * wire);
}

TEST_F(Room, a_progress_thread_sends_it_at_once) {
  const Scenario scenario = with_thread(room_for_two(), ProgressCore::spare);
  const Report report = run(scenario, posted_by_one_that_computes, compute(busy));
  expect_seconds(finish(report, 1), 4 * wire);
}

TEST_F(Room, a_message_longer_than_all_of_it_goes_alone) {
  Scenario scenario = room_for_two();
  network(scenario).eager_room = {1};
  const Report report = run(scenario, four_to_a_busy_one, compute(busy));
  expect_seconds(finish(report, 0), busy + 2 * wire);
  expect_seconds(finish(report, 1), busy + 3 * wire);
}

/// Each of two ranks sends three messages before it receives any.
Task all_send_first(Communicator comm, Workspace work, Options) {
  if (comm.rank() > 1) co_return;
  for (int i = 0; i < 3; ++i) co_await comm.send(work.data, 1 - comm.rank());
  for (int i = 0; i < 3; ++i) co_await comm.recv(work.data, 1 - comm.rank());
}

TEST_F(Room, ranks_that_wait_for_it_take_what_comes_meanwhile) {
  const Report report = run(room_for_two(), all_send_first);
  for (const int rank : {0, 1}) expect_seconds(finish(report, rank), 3 * wire);
}

}  // namespace
}  // namespace ringscope::rules
