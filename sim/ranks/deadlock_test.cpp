// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a run that cannot go on end with an error that names the ranks that wait for each other?
#include <fmt/core.h>

#include <array>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {
namespace {

class Deadlock : public SimulationTest {};

/// One rank on each host, Open MPI over TCP: 2 us of overhead, 15 us to the other host.
Scenario on_tcp(int ranks, std::uint64_t bytes) {
  return scenario_of(fmt::format(R"(
cluster: star8
library: openmpi_tcp
placement: 1x{}
job: {{collective: exchange, algorithm: head_to_head, bytes: {} B}}
)",
                                 ranks, bytes));
}

const std::string eager_limits =
    "\nmessages of more than 64 KiB on the network (4 KiB in shared memory) wait for their "
    "receiver: the eager limits of library 'openmpi_tcp'";

void expect_deadlock(const std::string& expected, const auto& simulation) {
  try {
    simulation();
    FAIL() << "no deadlock";
  } catch (const DeadlockError& error) {
    EXPECT_EQ(error.what(), expected);
  }
}

TEST_F(Deadlock, two_ranks_that_send_first_wait_for_each_other_above_the_eager_limit) {
  expect_deadlock(
      "deadlock at 17 us: "
      "rank 0 waits for rank 1 to receive 65537 B (exchange/head_to_head, exchange, step 0); "
      "rank 1 waits for rank 0 to receive 65537 B (exchange/head_to_head, exchange, step 0)"
      "\nranks 0 -> 1 -> 0 wait for each other" +
          eager_limits,
      [] { run(on_tcp(2, 65537)); });
}

TEST_F(Deadlock, results_until_a_deadlock_are_kept_on_request) {
  RunOptions options;
  options.keep_deadlock = options.record_spans = options.record_chain = true;
  const Report report = simulate(on_tcp(2, 65537), options);
  ASSERT_TRUE(report.deadlock);
  EXPECT_EQ(report.deadlock->cycle, (std::vector{0, 1}));
  ASSERT_EQ(report.deadlock->waits.size(), 2u);
  EXPECT_EQ(report.deadlock->waits[1].rank, 1);
  EXPECT_EQ(report.deadlock->waits[1].peers, std::vector{0});
  expect_seconds(report.time_s, 17e-6);
  EXPECT_EQ(report.algbw, 0);
  double path = 0;
  for (const PathSegment& segment : report.path) path += segment.seconds;
  expect_seconds(path, report.time_s);
  for (const RankReport& rank : report.rank_reports) {
    expect_seconds(rank.seconds[static_cast<std::size_t>(RankActivity::overhead)], 2e-6);
    expect_seconds(rank.seconds[static_cast<std::size_t>(RankActivity::in_send)], 15e-6);
    double waited = 0;
    for (const double seconds : rank.waited_for) waited += seconds;
    expect_seconds(waited, 15e-6);
  }
  EXPECT_EQ(report.spans.back().activity, RankActivity::in_send);
  expect_seconds(report.spans.back().end_s, report.time_s);
}

TEST_F(Deadlock, up_to_the_limit_they_get_away_with_it) {
  const Report report = run(on_tcp(2, 65536));
  EXPECT_EQ(report.messages, 2u);
  EXPECT_GT(report.time_s, 0);
}

TEST_F(Deadlock, a_receive_that_nobody_sends_names_its_source) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  };
  expect_deadlock("deadlock at 0 s: rank 1 waits for 1 KiB from rank 0 (exchange/text)",
                  [&] { run(on_tcp(2, 1024), text); });
}

TEST_F(Deadlock, or_that_any_rank_might_have_sent) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 1) co_await comm.recv(work.data, any_source);
  };
  expect_deadlock("deadlock at 0 s: rank 1 waits for 1 KiB from any rank (exchange/text)",
                  [&] { run(on_tcp(2, 1024), text); });
}

TEST_F(Deadlock, a_cycle_of_three_ranks_is_named) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    for (int step : comm.phase("round", 2)) {
      if (step == 0) continue;
      co_await comm.recv(work.data, comm.next());
      co_await comm.send(work.data, comm.prev());
    }
  };
  expect_deadlock(
      "deadlock at 0 s: "
      "rank 0 waits for 1 kB from rank 1 (exchange/text, round, step 1); "
      "rank 1 waits for 1 kB from rank 2 (exchange/text, round, step 1); "
      "rank 2 waits for 1 kB from rank 0 (exchange/text, round, step 1)"
      "\nranks 0 -> 1 -> 2 -> 0 wait for each other",
      [&] { run(on_tcp(3, 1000), text); });
}

TEST_F(Deadlock, a_wrong_tag_is_one_too) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1, 7);
    if (comm.rank() == 1) co_await comm.recv(work.data, 0, 8);
  };
  expect_deadlock(
      "deadlock at 17 us: "
      "rank 0 waits for rank 1 to receive 1 MB (exchange/text); "
      "rank 1 waits for 1 MB from rank 0 (exchange/text)"
      "\nranks 0 -> 1 -> 0 wait for each other" +
          eager_limits,
      [&] { run(on_tcp(2, 1'000'000), text); });
}

// Any of the three would do; rank 2 ends at once, and so leads nowhere.
TEST_F(Deadlock, a_wait_for_any_of_several_names_them_and_the_cycle_among_them) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      const std::array all = {comm.irecv(work.data, 2), comm.irecv(work.data, any_source, 5),
                              comm.irecv(work.data, 1)};
      co_await comm.wait_any(all);
    }
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  };
  expect_deadlock(
      "deadlock at 0 s: "
      "rank 0 waits for 1 kB from rank 2 or waits for 1 kB from any rank or waits for 1 kB from "
      "rank 1 (exchange/text); "
      "rank 1 waits for 1 kB from rank 0 (exchange/text)"
      "\nranks 0 -> 1 -> 0 wait for each other",
      [&] { run(on_tcp(3, 1000), text); });
}

Task receive(Communicator comm, Range range, int from) { co_await comm.recv(range, from); }

TEST_F(Deadlock, the_threads_of_a_rank_are_told_apart) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() != 0) co_return;
    const Thread other = comm.start(receive(comm.thread(1), work.data, 1));
    co_await comm.join(other);
  };
  expect_deadlock(
      "deadlock at 0 s: "
      "rank 0 waits for its thread 1 (exchange/text); "
      "rank 0 waits for 1 kB from rank 1 (exchange/text, thread 1)",
      [&] { run(on_tcp(2, 1000), text, {}, 2); });
}

}  // namespace
}  // namespace ringscope
