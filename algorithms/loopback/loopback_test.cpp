// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the oracle itself do what MPI promises, count as `Cost` says, and refuse what breaks the
// rules?
#include "algorithms/loopback/loopback.hpp"

#include <gmock/gmock.h>

#include <array>

namespace ringscope::loopback_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Text = Task (*)(Communicator, Workspace, Options);

Algorithm algorithm_of(Text text) {
  return {.collective = "test",
          .name = "text",
          .summary = "",
          .options = {},
          .threads = 2,
          .run = text,
          .cost = nullptr,
          .scratch_items = [](int, std::size_t items, Options) { return items; }};
}

/// Item i of rank r is 10 r + i.
LoopbackResult run(Text text, int ranks, std::size_t items, LoopbackOptions how = {}) {
  return run_loopback(
      algorithm_of(text), ranks, items, {},
      [](int rank, std::size_t i) { return static_cast<float>(10 * rank + static_cast<int>(i)); },
      how);
}

Range data(std::size_t offset, std::size_t size) { return {Buffer::data, offset, size}; }

Task send_first_item_then_second(Communicator comm, Workspace, Options) {
  if (comm.rank() == 0) {
    co_await comm.send(data(0, 1), 1);
    co_await comm.send(data(1, 1), 1);
  } else {
    co_await comm.recv(data(1, 1), 0);
    co_await comm.recv(data(0, 1), 0);
  }
}

TEST(Loopback, messages_of_one_source_and_tag_never_overtake) {
  for (std::uint64_t seed : {0u, 1u, 2u, 3u})
    EXPECT_THAT(run(send_first_item_then_second, 2, 2, {.seed = seed}).data[1], ElementsAre(1, 0));
}

Task receive_in_order_of_tags(Communicator comm, Workspace, Options) {
  if (comm.rank() == 0) {
    co_await comm.send(data(0, 1), 1, 7);
    co_await comm.send(data(1, 1), 1, 8);
  } else {
    co_await comm.recv(data(0, 1), 0, 8);
    co_await comm.recv(data(1, 1), 0, 7);
  }
}

TEST(Loopback, a_receive_takes_only_its_tag) {
  EXPECT_THAT(run(receive_in_order_of_tags, 2, 2).data[1], ElementsAre(1, 0));
}

Task gather_from_anyone(Communicator comm, Workspace work, Options) {
  if (comm.rank() > 0) {
    co_await comm.send(data(0, 1), 0);
    co_return;
  }
  for (int i = 1; i < comm.size(); ++i) {
    co_await comm.recv(work.scratch, any_source);
    co_await comm.reduce(data(0, 1), work.scratch);
  }
}

TEST(Loopback, any_source_takes_every_message_once) {
  for (std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const auto result = run(gather_from_anyone, 4, 1, {.seed = seed});
    EXPECT_THAT(result.data[0], ElementsAre(10 + 20 + 30));
    EXPECT_EQ(result.counted, (Cost{3, 3, 3})) << "one port: three messages take three rounds";
  }
}

Task take_any_of_two(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 1) {
    co_await comm.send(data(0, 1), 0, 5);
    co_await comm.recv(data(0, 1), 0);
    co_await comm.send(data(1, 1), 0, 4);
  } else {
    const std::array both = {comm.irecv(work.scratch.part(0, 2), 1, 4),
                             comm.irecv(work.scratch.part(1, 2), 1, 5)};
    const int first = co_await comm.wait_any(both);
    if (first != 1) throw std::logic_error("the other message is not yet sent");
    co_await comm.send(data(0, 1), 1);
    co_await comm.wait(both[0]);
  }
}

TEST(Loopback, wait_any_takes_the_one_that_completed_and_leaves_the_other) {
  EXPECT_THAT(run(take_any_of_two, 2, 2).scratch[0], ElementsAre(11, 10));
}

Task send_to_self(Communicator comm, Workspace work, Options) {
  co_await comm.sendrecv(work.data, comm.rank(), work.scratch, comm.rank());
}

TEST(Loopback, a_rank_can_send_to_itself) {
  EXPECT_THAT(run(send_to_self, 1, 2, {.synchronous_sends = true}).scratch[0], ElementsAre(0, 1));
}

Task exchange_nothing(Communicator comm, Workspace, Options) {
  co_await comm.sendrecv({}, comm.next(), {}, comm.prev());
}

TEST(Loopback, a_message_may_be_empty) {
  EXPECT_EQ(run(exchange_nothing, 3, 0).counted, (Cost{1, 3, 0}));
}

Task poll(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 1) co_await comm.send(work.data, 0);
  if (comm.rank() > 0) co_return;
  const Request incoming = comm.irecv(work.scratch, 1);
  int complete = 0;
  while (complete == 0) complete = co_await comm.test(incoming);
}

TEST(Loopback, a_test_lets_the_others_run) {
  EXPECT_THAT(run(poll, 2, 2).scratch[0], ElementsAre(10, 11));
}

Task poll_for_ever(Communicator comm, Workspace work, Options) {
  const Request incoming = comm.irecv(work.scratch, comm.next());
  int complete = 0;
  while (complete == 0) complete = co_await comm.test(incoming);
}

TEST(Loopback, ranks_that_only_test_are_a_deadlock_too) {
  EXPECT_THAT([] { run(poll_for_ever, 2, 1); },
              ThrowsMessage<LoopbackDeadlock>(HasSubstr("rank 0 waits for 1 item from rank 1")));
}

Task reuse_requests(Communicator comm, Workspace work, Options) {
  for (int i = 0; i < 3; ++i) {
    const Request incoming = comm.irecv(work.scratch, comm.prev());
    if (incoming.slot != 0) throw std::logic_error("a slot was not reused");
    co_await comm.send(work.data, comm.next());
    co_await comm.wait(incoming);
  }
}

TEST(Loopback, a_request_is_free_again_after_the_wait) {
  EXPECT_NO_THROW(run(reuse_requests, 3, 1));
}

Task receive_on(Communicator comm, Range into) { co_await comm.recv(into, comm.prev()); }

Task receive_on_a_thread(Communicator comm, Workspace work, Options) {
  const Thread receiver = comm.start(receive_on(comm.thread(1), work.scratch));
  co_await comm.send(work.data, comm.next());
  co_await comm.join(receiver);
}

TEST(Loopback, a_thread_runs_beside_its_starter) {
  EXPECT_THAT(run(receive_on_a_thread, 2, 1, {.synchronous_sends = true}).scratch[0],
              ElementsAre(10));
}

Task wait_in_a_circle(Communicator comm, Workspace work, Options) {
  for (int step : comm.phase("reduce-scatter", 3)) {
    if (step == 2) co_await comm.recv(work.scratch, comm.prev());
  }
}

TEST(Loopback, a_deadlock_names_every_rank_what_it_waits_for_and_where) {
  EXPECT_THAT([] { run(wait_in_a_circle, 2, 4); },
              ThrowsMessage<LoopbackDeadlock>(
                  "deadlock: rank 0 waits for 4 items from rank 1 (reduce-scatter, step 2); "
                  "rank 1 waits for 4 items from rank 0 (reduce-scatter, step 2)"));
}

Task both_send_first(Communicator comm, Workspace work, Options) {
  co_await comm.send(work.data, comm.next());
  co_await comm.recv(work.scratch, comm.prev());
}

TEST(Loopback, two_blocking_sends_deadlock_only_without_buffers) {
  EXPECT_THAT(run(both_send_first, 2, 1).scratch[0], ElementsAre(10));
  EXPECT_THAT(
      [] { run(both_send_first, 2, 1, {.synchronous_sends = true}); },
      ThrowsMessage<LoopbackDeadlock>("deadlock: rank 0 waits for rank 1 to receive 1 item; "
                                      "rank 1 waits for rank 0 to receive 1 item"));
}

TEST(Loopback, two_blocking_sends_deadlock_only_above_the_eager_limit) {
  const auto of_two = [](int, int) { return std::size_t{2}; };
  EXPECT_THAT(
      run(both_send_first, 2, 2, {.synchronous_sends = true, .eager_items = of_two}).scratch[0],
      ElementsAre(10, 11));
  EXPECT_THROW(run(both_send_first, 2, 3, {.synchronous_sends = true, .eager_items = of_two}),
               LoopbackDeadlock);
  // One buffered send is enough: its sender goes on to receive.
  const auto of_one_rank = [](int from, int) { return from == 1 ? std::size_t{3} : 0; };
  EXPECT_NO_THROW(
      run(both_send_first, 2, 3, {.synchronous_sends = true, .eager_items = of_one_rank}));
}

TEST(Loopback, wait_marks_the_sender_as_heard) {
  const auto result = run(gather_from_anyone, 3, 1);
  EXPECT_THAT(result.heard[0], ElementsAre(true, true, true));
  EXPECT_THAT(result.heard[1], ElementsAre(false, true, false));
}

}  // namespace
}  // namespace ringscope::loopback_test
