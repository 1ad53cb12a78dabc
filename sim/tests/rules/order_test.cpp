// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 8: do messages of one source and tag keep their order, whatever travels faster?
#include <algorithm>
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::order_test {
namespace {

class Order : public SimulationTest {};

constexpr double arrival = send_overhead + send_copy + wire + latency;

// A megabyte and then nothing, both eager: the second one is there long before the first.
Task send_large_then_small(Communicator comm, Workspace work, int small_tag) {
  const std::array both = {comm.isend(work.data, 1), comm.isend(nothing, 1, small_tag)};
  co_await comm.wait_all(both);
}

TEST_F(Order, an_early_second_message_does_not_take_the_first_receive) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await send_large_then_small(comm, work, 0);
    if (comm.rank() == 1) {
      co_await comm.recv(work.data, 0);
      co_await comm.recv(nothing, 0);
    }
  };
  const Report report = run(eager(), text);
  expect_seconds(finish(report, 1), arrival + recv_overhead + recv_copy + recv_overhead);
}

TEST_F(Order, later_message_waits_for_the_first_in_fifo_order) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await send_large_then_small(comm, work, 0);
    if (comm.rank() == 1) {
      const Request first = comm.irecv(work.data, 0), second = comm.irecv(nothing, 0);
      co_await comm.wait(second);
      co_await comm.compute(Duration(5 * ms));
      co_await comm.wait(first);
    }
  };
  const Report report = run(eager(), text);
  expect_seconds(finish(report, 1), arrival + recv_overhead + recv_copy + recv_overhead + 5 * ms);
}

TEST_F(Order, among_sources_the_first_to_arrive_is_the_first) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 2) co_await comm.send(nothing, 1);
    if (comm.rank() == 1) co_await comm.recv(work.data, any_source);
  };
  const Report report = run(eager(), text);
  expect_seconds(finish(report, 1), send_overhead + latency + recv_overhead);
}

// The large one is a rendezvous: its RTS is ahead, and the small message behind it is eager.
Task large_then_small(Communicator comm, Workspace work, int large_tag) {
  const std::array both = {comm.isend(work.data, 1, large_tag), comm.isend(nothing, 1)};
  co_await comm.wait_all(both);
}

TEST_F(Order, a_small_message_behind_a_large_one_gets_the_second_receive) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await large_then_small(comm, work, 0);
    if (comm.rank() == 1) {
      const Request first = comm.irecv(work.data, 0), second = comm.irecv(nothing, 0);
      co_await comm.wait(second);
      co_await comm.compute(Duration(5 * ms));
      co_await comm.wait(first);
    }
  };
  // The small one is taken after the answer to the RTS, long before the data, which the receiver
  // then holds up.
  const double small = 2 * send_overhead + latency + recv_overhead;
  const double rts = send_overhead + latency;
  const double taken = std::max(small, rts + recv_overhead + recv_overhead);
  expect_seconds(finish(run(rendezvous(), text), 1), taken + 5 * ms + wire + latency);
}

TEST_F(Order, with_another_tag_it_does_not_wait_for_the_large_one) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await large_then_small(comm, work, 1);
    if (comm.rank() == 1) {
      co_await comm.recv(nothing, 0);
      co_await comm.compute(Duration(5 * ms));
      co_await comm.recv(work.data, 0, 1);
    }
  };
  const double small = 2 * send_overhead + latency + recv_overhead;
  expect_seconds(finish(run(rendezvous(), text), 1),
                 small + 5 * ms + recv_overhead + latency + wire + latency);
}

// Only the last of three is ever sent; the others are answered afterwards.
TEST_F(Order, a_wait_for_any_names_the_one_that_is_complete_and_leaves_the_others) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 1) {
      const std::array all = {comm.irecv(work.data, 0), comm.irecv(work.scratch, 2),
                              comm.irecv(nothing, 3)};
      EXPECT_EQ(co_await comm.wait_any(all), 2);
      co_await comm.send(nothing, 0);
      co_await comm.send(nothing, 2);
      co_await comm.wait_all(std::span(all).first(2));
    } else {
      if (comm.rank() != 3) co_await comm.recv(nothing, 1);
      co_await comm.send(comm.rank() == 3 ? nothing : work.data, 1);
    }
  };
  EXPECT_EQ(run(eager(), text).messages, 5u);
}

// Ten large messages to ten receives: each is as long as the room for it.
TEST_F(Order, many_messages_meet_their_receives_in_order) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    std::array<Request, 10> requests;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Range part = work.data.first(1000 * (i % 2 == 0 ? i + 1 : 0));
      if (comm.rank() == 0) requests[i] = comm.isend(part, 1);
      if (comm.rank() == 1) requests[i] = comm.irecv(part, 0);
    }
    if (comm.rank() < 2) co_await comm.wait_all(requests);
  };
  const Report report = run(rendezvous(), text);
  EXPECT_EQ(report.messages, 10u);
  EXPECT_EQ(report.bytes_on_wire, 1000u * (1 + 3 + 5 + 7 + 9));
}

}  // namespace
}  // namespace ringscope::rules::order_test
