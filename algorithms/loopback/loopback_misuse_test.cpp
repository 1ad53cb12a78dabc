// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the oracle refuse programs that a real MPI library might let pass, and say where they are
// wrong?
#include <gmock/gmock.h>

#include "algorithms/loopback/loopback.hpp"

namespace ringscope::loopback_misuse_test {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;

using Text = Task (*)(Communicator, Workspace, Options);

/// Two ranks, four items of data, four of scratch.
auto running(Text text) {
  return [text] {
    const Algorithm algorithm = {
        .collective = "test",
        .name = "text",
        .summary = "",
        .options = {},
        .run = text,
        .cost = nullptr,
        .scratch_items = [](int, std::size_t, Options) { return std::size_t{4}; }};
    run_loopback(algorithm, 2, 4, {}, [](int, std::size_t) { return 0.0f; });
  };
}

Task send_too_much(Communicator comm, Workspace work, Options) {
  co_await comm.sendrecv(work.data, comm.next(), work.scratch.first(3), comm.prev());
}
TEST(Misuse, a_message_longer_than_its_receive) {
  EXPECT_THAT(running(send_too_much),
              ThrowsMessage<Misuse>("rank 1 receives 4 items from rank 0 into a range of 3"));
}

Task leave_the_buffer(Communicator comm, Workspace, Options) {
  const Range outside = {Buffer::data, 3, 2};
  for ([[maybe_unused]] int step : comm.phase("allgather", 1))
    co_await comm.send(outside, comm.next());
}
TEST(Misuse, a_range_outside_its_buffer) {
  EXPECT_THAT(
      running(leave_the_buffer),
      ThrowsMessage<Misuse>("rank 0 names data[3, 5), which it does not have (allgather, step 0)"));
}

Task name_nobody(Communicator comm, Workspace work, Options) { co_await comm.send(work.data, 2); }
TEST(Misuse, a_rank_that_is_not_there) {
  EXPECT_THAT(running(name_nobody), ThrowsMessage<Misuse>("rank 0 names rank 2 of 2"));
}

Task change_what_is_sent(Communicator comm, Workspace work, Options) {
  const Request outgoing = comm.isend(work.data, comm.next());
  co_await comm.reduce(work.data.part(1, 2), work.scratch.first(2));
  co_await comm.wait(outgoing);
}
TEST(Misuse, changing_a_range_while_it_is_sent) {
  EXPECT_THAT(running(change_what_is_sent),
              ThrowsMessage<Misuse>("rank 0 writes data[2, 4) while data[0, 4) is outstanding"));
}

Task read_before_the_wait(Communicator comm, Workspace work, Options) {
  const Request incoming = comm.irecv(work.scratch, comm.prev());
  co_await comm.send(work.data, comm.next());
  co_await comm.reduce(work.data, work.scratch);
  co_await comm.wait(incoming);
}
TEST(Misuse, reading_a_range_before_its_receive_is_waited_for) {
  EXPECT_THAT(running(read_before_the_wait),
              ThrowsMessage<Misuse>(StartsWith("rank 0 reads scratch[0, 4) while")));
}

Task wait_twice(Communicator comm, Workspace work, Options) {
  const Request outgoing = comm.isend(work.data, comm.next());
  co_await comm.wait(outgoing);
  co_await comm.wait(outgoing);
}
TEST(Misuse, waiting_twice) {
  EXPECT_THAT(running(wait_twice),
              ThrowsMessage<Misuse>("rank 0 waits for a request that is not outstanding"));
}

Task never_wait(Communicator comm, Workspace work, Options) {
  [[maybe_unused]] const Request forgotten = comm.isend(work.data, comm.next());
  co_await comm.recv(work.scratch, comm.prev());
}
TEST(Misuse, never_waiting) {
  EXPECT_THAT(running(never_wait),
              ThrowsMessage<Misuse>("rank 0 ends with a request that it never waited for"));
}

Task never_receive(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
}
TEST(Misuse, a_message_that_nobody_receives) {
  EXPECT_THAT(running(never_receive),
              ThrowsMessage<Misuse>("rank 1 ends before it receives 4 items from rank 0"));
}

Task do_nothing(Communicator) { co_return; }
Task never_join(Communicator comm, Workspace, Options) {
  [[maybe_unused]] const Thread forgotten = comm.start(do_nothing(comm.thread(1)));
  co_return;
}
TEST(Misuse, a_thread_that_nobody_joins) {
  EXPECT_THAT(running(never_join),
              ThrowsMessage<Misuse>("rank 0 ends before it joins its threads"));
}

Task compute_on(Communicator comm) { co_await comm.compute(Duration(1)); }
Task start_with_the_wrong_handle(Communicator comm, Workspace, Options) {
  const Thread other = comm.start(compute_on(comm));
  co_await comm.join(other);
}
TEST(Misuse, a_thread_that_uses_the_handle_of_another) {
  EXPECT_THAT(running(start_with_the_wrong_handle),
              ThrowsMessage<Misuse>("rank 0 is used by a program that runs as another thread"));
}

Task throw_own(Communicator, Workspace, Options) {
  throw std::domain_error("mine");
  co_return;
}
TEST(Misuse, algorithm_exception_is_propagated_unchanged) {
  EXPECT_THAT(running(throw_own), ThrowsMessage<std::domain_error>("mine"));
}

TEST(Misuse, too_few_ranks_or_options_out_of_range_are_invalid_arguments) {
  const auto zero = [](int, std::size_t) { return 0.0f; };
  const Algorithm& pingpong = *find_algorithm("pingpong", "blocking");
  EXPECT_THROW(run_loopback(pingpong, 1, 1, {}, zero), std::invalid_argument);
  EXPECT_THROW(run_loopback(pingpong, 2, 1, {.rounds = 0}, zero), std::invalid_argument);
  const Algorithm& segmented = *find_algorithm("allreduce", "ring_segmented");
  EXPECT_THROW(run_loopback(segmented, 2, 1, {.segment = 0}, zero), std::invalid_argument);
}

}  // namespace
}  // namespace ringscope::loopback_misuse_test
