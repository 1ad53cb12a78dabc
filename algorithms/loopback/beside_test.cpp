// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the oracle keep the rules of what goes beside plain messages: flags, multicasts, threads
// started one after the other, counts of what came, and groups of ranks?
#include <gmock/gmock.h>

#include <numeric>

#include "algorithms/loopback/loopback.hpp"

namespace ringscope::beside_test {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

using Text = Task (*)(Communicator, Workspace, Options);

/// An algorithm with up to three threads and two non-blocking collectives per rank.
Algorithm algorithm_of(Text text) {
  return {.collective = "test",
          .name = "text",
          .summary = "",
          .options = {},
          .threads = 3,
          .nonblocking = 2,
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

constexpr std::uint64_t seeds[] = {0, 1, 2, 3};

Task receive_and_raise(Communicator comm, Range into, int from, int times) {
  co_await comm.recv(into, from);
  for (int i = 0; i < times; ++i) comm.raise(Flag{2});
}

// Rank 1's thread receives; its first thread reads what came once the flag says so.
Task wait_for_a_flag(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 0) co_return;
  const Thread other = comm.start(receive_and_raise(comm.thread(1), work.scratch, 0, 2));
  co_await comm.reach(Flag{2}, 2);
  co_await comm.copy(work.data, work.scratch);
  co_await comm.join(other);
}

TEST(BesideFlags, waiter_blocks_until_the_requested_count) {
  for (const std::uint64_t seed : seeds)
    EXPECT_THAT(run(wait_for_a_flag, 2, 2, {.seed = seed}).data[1], ElementsAre(0, 1));
}

// 0 -> 1 is round 1, and what rank 1 sends after the flag is round 2, though that thread received
// nothing.
Task pass_on_after_the_flag(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    const Thread other = comm.start(receive_and_raise(comm.thread(1), work.scratch, 0, 1));
    co_await comm.reach(Flag{2}, 1);
    co_await comm.send(work.data, 2);
    co_await comm.join(other);
  }
  if (comm.rank() == 2) co_await comm.recv(work.scratch, 1);
}

TEST(BesideFlags, waiter_clock_advances_to_the_raiser) {
  for (const std::uint64_t seed : seeds)
    EXPECT_EQ(run(pass_on_after_the_flag, 3, 1, {.seed = seed}).counted, (Cost{2, 2, 2}));
}

TEST(BesideFlags, missing_raise_is_a_deadlock_with_the_flags_name) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    comm.raise(Flag{1});
    for ([[maybe_unused]] int step : comm.phase("waiting", 1)) co_await comm.reach(Flag{1}, 3);
  };
  EXPECT_THAT(
      [&] { run(text, 1, 1); },
      ThrowsMessage<LoopbackDeadlock>("deadlock: rank 0 waits for flag 1 to be raised 3 times "
                                      "(waiting, step 0)"));
}

TEST(BesideFlags, unknown_flags_are_misuse) {
  const Text wait = [](Communicator comm, Workspace, Options) -> Task {
    co_await comm.reach(Flag{most_flags}, 1);
  };
  const Text raise = [](Communicator comm, Workspace, Options) -> Task {
    comm.raise(Flag{-1});
    co_return;
  };
  EXPECT_THAT([&] { run(wait, 1, 1); },
              ThrowsMessage<Misuse>("rank 0 waits for flag 1024 of 1024"));
  EXPECT_THAT([&] { run(raise, 1, 1); }, ThrowsMessage<Misuse>("rank 0 raises flag -1 of 1024"));
}

Task to_all_others(Communicator comm, Workspace work, Options) {
  std::vector<int> others(static_cast<std::size_t>(comm.size()) - 1);
  std::iota(others.begin(), others.end(), 1);
  if (comm.rank() == 0) co_await comm.multicast(work.data, others, 5);
  if (comm.rank() > 0) co_await comm.recv(work.scratch, any_source, 5);
}

TEST(BesideMulticast, reaches_every_receiver_as_one_message_of_one_round) {
  for (const std::uint64_t seed : seeds) {
    const LoopbackResult result = run(to_all_others, 4, 2, {.seed = seed});
    for (const std::size_t rank : {1u, 2u, 3u}) {
      EXPECT_THAT(result.scratch[rank], ElementsAre(0, 1));
      EXPECT_TRUE(result.heard[rank][0]);
    }
    EXPECT_EQ(result.counted, (Cost{1, 1, 2}));
  }
}

// The sender of a multicast goes on at once, whatever other sends do.
TEST(BesideMulticast, does_not_wait_for_its_receivers) {
  EXPECT_THAT(run(to_all_others, 3, 1, {.synchronous_sends = true}).scratch[2], ElementsAre(0));
}

constexpr int to_self[] = {1, 0}, to_nobody_there[] = {2}, to_1[] = {1};

TEST(BesideMulticast, multicast_to_self_or_unknown_ranks_is_misuse) {
  const Text self = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.multicast(work.data, to_self);
  };
  const Text beyond = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.multicast(work.data, to_nobody_there);
  };
  EXPECT_THAT([&] { run(self, 2, 1); },
              ThrowsMessage<Misuse>("rank 0 sends a multicast to rank 0 of 2"));
  EXPECT_THAT([&] { run(beyond, 2, 1); },
              ThrowsMessage<Misuse>("rank 0 sends a multicast to rank 2 of 2"));
}

TEST(BesideMulticast, unreceived_multicast_is_misuse) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.multicast(work.data, to_1);
  };
  EXPECT_THAT([&] { run(text, 2, 1); },
              ThrowsMessage<Misuse>("rank 1 ends before it receives 1 items from rank 0"));
}

// A receive of at most N items learns how many came.
TEST(BesideCounts, size_is_that_of_the_message_not_of_the_buffer) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      for (const std::size_t size : {3u, 0u, 2u, 1u}) co_await comm.send(work.data.first(size), 1);
      co_return;
    }
    EXPECT_EQ(co_await comm.recv(work.scratch, 0), 3);
    EXPECT_EQ(co_await comm.recv(work.scratch, any_source), 0);
    const Request incoming = comm.irecv(work.scratch, 0);
    EXPECT_EQ(co_await comm.wait(incoming), 2);
    EXPECT_EQ(co_await comm.sendrecv({}, 1, {}, 1, 9), 0);
    EXPECT_EQ(co_await comm.sendrecv({}, 1, {}, 1, 9), 0);
    EXPECT_EQ(co_await comm.recv(work.scratch, 0), 1);
  };
  EXPECT_EQ(run(text, 2, 4).counted.messages, 6);
}

Task do_nothing(Communicator) { co_return; }

TEST(BesideThreads, lowest_free_index_is_taken_until_join) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread first = comm.start(do_nothing(comm.beside(Beside::thread)), Beside::thread);
    const Thread second = comm.start(do_nothing(comm.beside(Beside::thread)), Beside::thread);
    EXPECT_EQ(first.index, 1);
    EXPECT_EQ(second.index, 2);
    co_await comm.join(first);
    const Thread third = comm.start(do_nothing(comm.beside(Beside::thread)), Beside::thread);
    EXPECT_EQ(third.index, 1);
    co_await comm.join(second);
    co_await comm.join(third);
  };
  run(text, 1, 1);
}

TEST(BesideThreads, come_before_the_non_blocking_collectives) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread first =
        comm.start(do_nothing(comm.beside(Beside::nonblocking)), Beside::nonblocking);
    const Thread second =
        comm.start(do_nothing(comm.beside(Beside::nonblocking)), Beside::nonblocking);
    EXPECT_EQ(first.index, 3);
    EXPECT_EQ(second.index, 4);
    co_await comm.join(second);
    co_await comm.join(first);
  };
  run(text, 1, 1);
}

TEST(BesideThreads, are_no_more_than_declared) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    std::vector<Thread> all;
    for (int i = 0; i < 3; ++i)
      all.push_back(comm.start(do_nothing(comm.beside(Beside::nonblocking)), Beside::nonblocking));
    for (const Thread one : all) co_await comm.join(one);
  };
  EXPECT_THAT([&] { run(text, 1, 1); },
              ThrowsMessage<Misuse>("test/text uses 6 threads and declares 5"));
}

/// The first item of each rank is sent round its group.
Task send_round(Communicator comm, Workspace work, Range into) {
  for ([[maybe_unused]] int step : comm.phase("round", 1))
    co_await comm.sendrecv(work.data.first(1), comm.next(), into, comm.prev(), 3);
}

// Ranks 3, 1 and 0 of four are a group, in that order: 3 sends to 1, 1 to 0, and 0 to 3.
TEST(BesideGroups, number_their_ranks_in_the_order_in_which_they_are_named) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 2) co_return;
    const std::vector<int> ranks = {3, 1, 0};
    const Communicator group = comm.among(ranks, "three");
    EXPECT_EQ(group.size(), 3);
    EXPECT_EQ(ranks[static_cast<std::size_t>(group.rank())], comm.rank());
    co_await send_round(group, work, work.scratch.first(1));
  };
  const LoopbackResult result = run(text, 4, 1);
  EXPECT_THAT(result.scratch[1], ElementsAre(30));
  EXPECT_THAT(result.scratch[0], ElementsAre(10));
  EXPECT_THAT(result.scratch[3], ElementsAre(0));
}

// The group of a group: 3 and 0 of the three above.
TEST(BesideGroups, have_groups_of_their_own) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() != 0 && comm.rank() != 3) co_return;
    const Communicator group = comm.among({3, 1, 0}, "three", 10);
    const Communicator pair = group.among({2, 0}, "two", 100);
    EXPECT_EQ(pair.rank(), comm.rank() == 0 ? 0 : 1);
    co_await send_round(pair, work, work.scratch.first(1));
  };
  const LoopbackResult result = run(text, 4, 1);
  EXPECT_THAT(result.scratch[0], ElementsAre(30));
  EXPECT_THAT(result.scratch[3], ElementsAre(0));
}

// Rank 1 receives the group's message last, and its neighbour's from outside first.
TEST(BesideGroups, different_tags_keep_messages_apart) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator group = comm.among({0, 1}, "both", 1000);
    if (comm.rank() == 0) {
      co_await group.send(work.data.part(0, 2), 1, 3);
      co_await comm.send(work.data.part(1, 2), 1, 3);
    } else {
      co_await comm.recv(work.scratch.part(0, 2), 0, 3);
      co_await group.recv(work.scratch.part(1, 2), any_source, 3);
    }
  };
  EXPECT_THAT(run(text, 2, 2).scratch[1], ElementsAre(1, 0));
}

TEST(BesideGroups, go_along_with_the_threads_of_a_rank) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 1) co_return;
    const Communicator group = comm.among({2, 0}, "pair");
    const Thread other =
        group.start(send_round(group.beside(Beside::thread), work, work.scratch.first(1)));
    co_await group.join(other);
  };
  const LoopbackResult result = run(text, 3, 1);
  EXPECT_THAT(result.scratch[0], ElementsAre(20));
  EXPECT_THAT(result.scratch[2], ElementsAre(0));
}

/// Keeps the marks, and performs nothing.
class Marks final : public Executor {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  Request post(const Operation&) override { return {}; }
  bool perform(Operation&, std::coroutine_handle<>) override { return false; }
  Thread start(Task, Beside) override { return {}; }
  int next_free(Beside) override { return 1; }
  Executor& thread(int) override { return *this; }
  void mark(Mark mark) override { marks.push_back(mark); }
  void raise(Flag) override {}

  std::vector<Mark> marks;
};

TEST(BesideGroups, say_in_each_step_what_part_they_do) {
  Marks marks;
  const Communicator comm(marks);
  for ([[maybe_unused]] int step : comm.phase("spread", 1)) continue;
  for ([[maybe_unused]] int step : comm.among({1, 0}, "inside hosts").phase("spread", 2)) continue;
  comm.among({1, 0}, "inside hosts").enter("gather");
  ASSERT_EQ(marks.marks.size(), 4u);
  EXPECT_EQ(marks.marks[0].part, "");
  EXPECT_EQ(marks.marks[2].part, "inside hosts");
  EXPECT_EQ(marks.marks[2].phase, "spread");
  EXPECT_EQ(marks.marks[2].step, 1);
  EXPECT_EQ(marks.marks[3].part, "inside hosts");
  EXPECT_EQ(marks.marks[3].phase, "gather");
  EXPECT_EQ(marks.marks[3].step, 0);
}

TEST(BesideObservations, are_kept_by_name_in_the_order_of_the_text) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    for (const double value : {3.0, 1.0, 2.0}) comm.observe("age", value);
    comm.observe("size", 7);
    co_return;
  };
  const auto observed = run(text, 1, 1).observed;
  EXPECT_THAT(observed.at("age"), ElementsAre(3, 1, 2));
  EXPECT_THAT(observed.at("size"), ElementsAre(7));
}

}  // namespace
}  // namespace ringscope::beside_test
