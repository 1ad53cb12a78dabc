// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every algorithm do in a group what it does alone, and do groups keep apart?
#include <gmock/gmock.h>

#include <numeric>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/groups/on_group.hpp"

namespace ringscope::groups_test {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;
using Text = Task (*)(Communicator, Workspace, Options);

LoopbackResult run(Text text, int ranks, std::size_t items, const LoopbackOptions& how = {}) {
  const Algorithm algorithm = {
      .collective = "test",
      .name = "text",
      .summary = "",
      .options = {},
      .run = text,
      .cost = nullptr,
      .scratch_items = [](int, std::size_t most, Options) { return most; },
  };
  const auto initial = [](int rank, std::size_t i) {
    return static_cast<float>(10 * rank + int(i));
  };
  return run_loopback(algorithm, ranks, items, {}, initial, how);
}

/// Its data go to the next rank of the group.
Task send_on(Communicator group, Workspace work) {
  co_await group.sendrecv(work.data, group.next(), work.scratch, group.prev());
}

// Keys fall as ranks rise: 4, 2, 0 and 3, 1.
TEST(Groups, split_orders_ranks_of_a_colour_by_key) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator group = co_await comm.split(comm.rank() % 2, -comm.rank());
    EXPECT_EQ(group.size(), comm.rank() % 2 == 0 ? 3 : 2);
    EXPECT_EQ(group.rank(), (4 - comm.rank()) / 2);
    co_await send_on(group, work);
  };
  for (const std::uint64_t seed : {0u, 5u}) {
    const LoopbackResult result = run(text, 5, 1, {.seed = seed});
    EXPECT_EQ(result.scratch, (std::vector<std::vector<float>>{{20}, {30}, {40}, {10}, {0}}));
  }
}

TEST(Groups, split_with_equal_keys_keeps_rank_order) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Communicator back = co_await comm.split(0, -comm.rank());
    const Communicator same = co_await back.split(7, 1);
    EXPECT_EQ(same.rank(), 3 - comm.rank());
    EXPECT_EQ(same.rank_in_all(0), 3);
  };
  run(text, 4, 1);
}

// Eight ranks in halves, and each half in pairs: 0 2, 1 3, 4 6, 5 7.
TEST(Groups, are_split_again) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator half = co_await comm.split(comm.rank() / 4, comm.rank());
    const Communicator pair = co_await half.split(half.rank() % 2, half.rank());
    co_await send_on(pair, work);
  };
  const LoopbackResult result = run(text, 8, 1);
  for (int rank = 0; rank < 8; ++rank)
    EXPECT_THAT(result.scratch[static_cast<std::size_t>(rank)], ElementsAre(10 * (rank ^ 2)));
}

// All three receives of rank 1 name the same tag; each takes the message of its communicator,
// though that of the last one came first.
TEST(Groups, never_take_each_others_messages) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator one = co_await comm.split(0, comm.rank());
    const Communicator two = co_await comm.split(0, comm.rank());
    if (comm.rank() == 0) {
      co_await comm.send(work.data.part(0, 3), 1, 3);
      co_await two.send(work.data.part(1, 3), 1, 3);
      co_await one.send(work.data.part(2, 3), 1, 3);
    } else {
      co_await one.recv(work.scratch.part(0, 3), any_source, 3);
      co_await two.recv(work.scratch.part(1, 3), 0, 3);
      co_await comm.recv(work.scratch.part(2, 3), any_source, 3);
    }
  };
  EXPECT_THAT(run(text, 2, 3).scratch[1], ElementsAre(2, 1, 0));
}

TEST(Groups, wait_for_a_message_that_only_another_group_has_for_ever) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator group = co_await comm.split(0, comm.rank());
    if (comm.rank() == 0)
      co_await comm.send(work.data, 1);
    else
      co_await group.recv(work.scratch, 0);
  };
  EXPECT_THAT([&] { run(text, 2, 1); },
              ThrowsMessage<LoopbackDeadlock>("deadlock: rank 1 waits for 1 item from rank 0"));
}

TEST(Groups, multicast_to_ranks_of_theirs) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator group = co_await comm.split(comm.rank() % 2, -comm.rank());
    const std::vector<int> receivers = {1, 2};
    if (group.rank() == 0)
      co_await group.multicast(work.data, receivers);
    else
      co_await group.recv(work.data, 0);
  };
  const LoopbackResult result = run(text, 6, 1);
  EXPECT_THAT(result.data[1], ElementsAre(50));
  EXPECT_THAT(result.data[0], ElementsAre(40));
}

TEST(Groups, split_completes_after_the_last_call) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_await comm.split(0, 0);
  };
  EXPECT_THAT([&] { run(text, 2, 1); },
              ThrowsMessage<LoopbackDeadlock>(
                  "deadlock: rank 0 waits for all 2 ranks of its communicator to split it"));
}

// Two ranks, of which one calls twice, from two of its threads.
TEST(Groups, refuse_a_rank_that_splits_twice_at_once) {
  Splits<int> splits;
  int caller = 0;
  SplitCall first{.size = 2, .parent = {}}, second{.size = 2, .parent = {}};
  splits.call(first, 0, caller);
  EXPECT_THAT([&] { splits.call(second, 0, caller); },
              ThrowsMessage<std::logic_error>("rank 0 splits a communicator twice concurrently"));
}

// Three splits, one within the other, as of a job with three kinds of parallelism.
TEST(Groups, groups_of_65536_ranks_share_one_rank_list) {
  constexpr int ranks = 65536;
  Splits<SplitCall> splits;
  std::vector<SplitCall> calls(ranks);
  for (int colours = 8192; colours > 1; colours /= 64) {
    const std::vector<SplitCall> before = calls;
    std::set<const std::vector<int>*> lists;
    std::size_t length = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      SplitCall& call = calls[static_cast<std::size_t>(rank)];
      call = {rank % colours, rank, rank, ranks, nullptr};
      splits.call(call, 0, call);
    }
    for (const SplitCall& call : calls)
      if (lists.insert(call.group->ranks.get()).second) length += call.group->ranks->size();
    EXPECT_EQ(lists.size(), static_cast<std::size_t>(colours));
    EXPECT_EQ(length, static_cast<std::size_t>(ranks));
  }
}

/// The algorithm that each of two groups runs; a program has no other way to know.
const Algorithm* under_test = nullptr;

// Odd ranks and even ones, both from the last to the first.
Task in_two_groups(Communicator comm, Workspace work, Options options) {
  const Communicator group = co_await comm.split(comm.rank() % 2, -comm.rank());
  co_await on_group(group, *under_test, work, options);
}

Algorithm two_groups_of(const Algorithm& algorithm) {
  under_test = &algorithm;
  Algorithm both = algorithm;
  both.run = in_two_groups;
  both.scratch_items = [](int ranks, std::size_t items, Options options) {
    options.given.hosts = nullptr;
    std::size_t most = 0;
    for (const int size : {ranks / 2, ranks - ranks / 2})
      most = std::max(most, under_test->scratch_items(size, items, options));
    return 2 * most + items;
  };
  return both;
}

class OnGroups : public testing::TestWithParam<Algorithm> {};

// 2p + 1 ranks: p + 1 even ones, p odd ones. Rank g of a group stands where rank g of a job of its
// own would, with its data and its host.
TEST_P(OnGroups, algorithm_in_a_group_gives_the_result_of_a_job) {
  const Algorithm& algorithm = GetParam();
  const Algorithm both = two_groups_of(algorithm);
  for (int p = std::max(1, algorithm.least_ranks); p <= 6; ++p) {
    const int ranks = 2 * p + 1;
    const auto rank_in_group = [&](int rank) { return (2 * p - rank) / 2; };
    for (Options options : options_for(algorithm, p)) {
      if (options.sizes != nullptr) continue;  // of one number of ranks
      const std::vector<int>* hosts = options.given.hosts;
      std::vector<int> hosts_of_all;
      for (int rank = 0; rank < ranks && hosts != nullptr; ++rank)
        hosts_of_all.push_back((*hosts)[static_cast<std::size_t>(rank_in_group(rank))]);
      if (hosts != nullptr) options.given.hosts = &hosts_of_all;
      const auto initial = [&](int rank, std::size_t i) { return item_of(rank_in_group(rank), i); };
      const LoopbackResult together = run_loopback(both, ranks, 37, options, initial, {.seed = 3});
      options.given.hosts = hosts;
      for (const int size : {p + 1, p}) {
        const LoopbackResult alone =
            run_loopback(algorithm, size, 37, options, item_of, {.seed = 3});
        for (int rank = size == p ? 1 : 0; rank < ranks; rank += 2)
          ASSERT_EQ(together.data[static_cast<std::size_t>(rank)],
                    alone.data[static_cast<std::size_t>(rank_in_group(rank))])
              << "rank " << rank << " of " << ranks;
      }
    }
  }
}

/// Algorithms whose vectors do not depend on who came first.
std::vector<Algorithm> with_one_result() {
  std::vector<Algorithm> chosen;
  for (const Algorithm& algorithm : catalogue())
    if (algorithm.varies != Varies::all || algorithm.collective == "training")
      chosen.push_back(algorithm);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OnGroups, testing::ValuesIn(with_one_result()), test_name);

}  // namespace
}  // namespace ringscope::groups_test
