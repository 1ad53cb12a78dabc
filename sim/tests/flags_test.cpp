// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the threads of a rank wake each other when they say, and does the report sum up what they
// observe?
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::flags_test {
namespace {

constexpr double ms = 1e-3;
constexpr Flag ready{0}, other{99};

/// Two hosts, a rank on each, and nothing but bytes takes time.
Scenario pair(const std::string& library = "ideal") {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 2
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 8}
placement: 1-1
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
library: )" + library +
                     "\n");
}

Task compute_and_raise(Communicator comm, Flag flag, double seconds, int times) {
  for (int i = 0; i < times; ++i) {
    co_await comm.compute(Duration(seconds));
    comm.raise(flag);
  }
}

class Flags : public SimulationTest {};

TEST_F(Flags, are_reached_when_their_last_raiser_has_computed) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread worker = comm.start(compute_and_raise(comm.thread(1), ready, 2 * ms, 5));
    co_await comm.reach(ready, 3);
    comm.observe("reached", 1);
    co_await comm.compute(Duration(1 * ms));
    comm.observe("reached", 2);
    co_await comm.join(worker);
  };
  const Report report = run(pair(), text, {}, 2);
  expect_seconds(report.time_s, 5 * 2 * ms);
  const RankReport& rank = report.rank_reports.front();
  const auto seconds = [&](RankActivity activity) {
    return rank.seconds[static_cast<std::size_t>(activity)];
  };
  expect_seconds(seconds(RankActivity::compute), 1 * ms);
  expect_seconds(seconds(RankActivity::in_wait), 9 * ms);
  expect_seconds(rank.waited_for[static_cast<std::size_t>(Cause::partner)], 9 * ms);
}

// The critical path of who waits is that of who has raised.
TEST_F(Flags, hand_on_the_critical_path) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread worker = comm.start(compute_and_raise(comm.thread(1), ready, 2 * ms, 1));
    co_await comm.reach(ready, 1);
    co_await comm.compute(Duration(1 * ms));
    co_await comm.join(worker);
  };
  const Report report = run(pair(), text, {}, 2);
  double computed = 0;
  for (const PathSegment& segment : report.path)
    if (segment.cause == Cause::compute) computed += segment.seconds;
  expect_seconds(computed, 3 * ms);
}

TEST_F(Flags, flags_raised_earlier_do_not_block) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    comm.raise(ready);
    comm.raise(ready);
    co_await comm.reach(ready, 0);
    co_await comm.reach(ready, 2);
    co_await comm.reach(other, 0);
  };
  EXPECT_EQ(run(pair(), text).time_s, 0);
}

// Two raise the same one, in 2 and in 3 ms steps: the fifth time is after 6 ms.
TEST_F(Flags, count_all_who_raise_them) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread two = comm.start(compute_and_raise(comm.thread(1), other, 2 * ms, 3));
    const Thread three = comm.start(compute_and_raise(comm.thread(2), other, 3 * ms, 3));
    co_await comm.reach(other, 5);
    co_await comm.compute(Duration(20 * ms));
    co_await comm.join(two);
    co_await comm.join(three);
  };
  expect_seconds(run(pair(), text, {}, 3).time_s, 6 * ms + 20 * ms);
}

Task await_flag(Communicator comm, Flag flag, double then) {
  co_await comm.reach(flag, 1);
  co_await comm.compute(Duration(then));
}

TEST_F(Flags, wake_all_who_wait_for_them) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread first = comm.start(await_flag(comm.thread(1), ready, 3 * ms));
    const Thread second = comm.start(await_flag(comm.thread(2), ready, 4 * ms));
    co_await comm.compute(Duration(5 * ms));
    comm.raise(ready);
    co_await comm.join(first);
    co_await comm.join(second);
  };
  expect_seconds(run(pair(), text, {}, 3).time_s, 5 * ms + 4 * ms);
}

// Rank 1 never raises its own.
TEST_F(Flags, are_those_of_one_rank) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) comm.raise(ready);
    co_await comm.reach(ready, 2);
  };
  try {
    run(pair(), text);
    FAIL() << "no deadlock";
  } catch (const DeadlockError& error) {
    EXPECT_STREQ(
        error.what(),
        "deadlock at 0 s: "
        "rank 0 waits for its flag 0 to be raised 2 times, which it was 1 (exchange/text); "
        "rank 1 waits for its flag 0 to be raised 2 times, which it was 0 (exchange/text)");
  }
}

TEST_F(Flags, start_from_nothing_in_each_repetition) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    const Thread worker = comm.start(compute_and_raise(comm.thread(1), ready, 2 * ms, 1));
    co_await comm.reach(ready, 1);
    co_await comm.compute(Duration(1 * ms));
    co_await comm.join(worker);
  };
  Scenario scenario = pair();
  scenario.job.repetitions = 3;
  for (const double time : run(scenario, text, {}, 2).times_s) expect_seconds(time, 3 * ms);
}

// A thread that waits for a flag is outside MPI: the large message begins when it is back.
TEST_F(Flags, make_no_progress) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 0) co_return;
    const Request incoming = comm.irecv(work.data, 0);
    const Thread worker = comm.start(compute_and_raise(comm.thread(1), ready, 5 * ms, 1));
    co_await comm.reach(ready, 1);
    co_await comm.wait(incoming);
    co_await comm.join(worker);
  };
  const std::string caller = "{base: ideal, progress: caller, network: {eager_limit: 0 B}}";
  expect_seconds(run(pair(caller), text, {}, 2).time_s, 5 * ms + 1e6 / 1e9);
}

class Observations : public SimulationTest {};

const Observation& only(const Report& report) { return report.observations.at(0); }

// Rank 0 observes 0, 1, 4, 9, 16 every ms, rank 1 the same every 2 ms.
Task observe_squares(Communicator comm, Workspace, Options) {
  for (int i = 0; i < 5; ++i) {
    co_await comm.compute(Duration((comm.rank() + 1) * ms));
    comm.observe("square", i * i);
  }
}

TEST_F(Observations, are_summed_up_over_all_ranks) {
  const Report report = run(pair(), observe_squares);
  ASSERT_EQ(report.observations.size(), 1u);
  const Observation& squares = only(report);
  EXPECT_EQ(squares.what, "square");
  EXPECT_EQ(squares.count, 10u);
  EXPECT_DOUBLE_EQ(squares.mean, (0 + 1 + 4 + 9 + 16) / 5.0);
  EXPECT_EQ(squares.least, 0);
  EXPECT_EQ(squares.most, 16);
  // Sorted 0 0 1 1 4 | 4 9 9 16 16: the lower middle, and the ninth of ten.
  EXPECT_EQ(squares.median, 4);
  EXPECT_EQ(squares.p90, 16);
  const std::vector<std::pair<double, std::size_t>> twice = {
      {0, 2}, {1, 2}, {4, 2}, {9, 2}, {16, 2}};
  EXPECT_EQ(squares.values, twice);
}

// Four intervals of 1 ms and four of 2 ms: the lower middle, and the seventh of eight.
TEST_F(Observations, tell_the_times_between_two_of_a_rank) {
  const Report report = run(pair(), observe_squares);
  expect_seconds(only(report).median_interval_s, 1 * ms);
  expect_seconds(only(report).p90_interval_s, 2 * ms);
}

TEST_F(Observations, one_observation_per_rank_has_no_interval) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    co_await comm.compute(Duration((comm.rank() + 1) * ms));
    comm.observe("end", 1);
  };
  const Report report = run(pair(), text);
  EXPECT_EQ(only(report).count, 2u);
  EXPECT_EQ(only(report).median_interval_s, 0);
}

TEST_F(Observations, stand_in_the_order_in_which_they_were_first_made) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_return;
    comm.observe("zeal", 1);
    comm.observe("ardour", 2);
    comm.observe("zeal", 3);
  };
  const Report report = run(pair(), text);
  ASSERT_EQ(report.observations.size(), 2u);
  EXPECT_EQ(report.observations[0].what, "zeal");
  EXPECT_DOUBLE_EQ(report.observations[0].mean, 2);
  EXPECT_EQ(report.observations[1].what, "ardour");
}

// A table of many values would not help.
TEST_F(Observations, more_than_sixteen_observations_are_not_listed) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    for (int i = 0; i < 17; ++i) {
      comm.observe("many", i);
      comm.observe("few", i % 16);
    }
    co_return;
  };
  const Report report = run(pair(), text);
  EXPECT_TRUE(report.observations.at(0).values.empty());
  EXPECT_EQ(report.observations.at(1).values.size(), 16u);
}

TEST_F(Observations, take_no_time) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    comm.observe("nothing", 0);
    co_return;
  };
  EXPECT_EQ(run(pair(), text).time_s, 0);
}

TEST_F(Observations, are_those_of_one_repetition) {
  Scenario scenario = pair();
  scenario.job.repetitions = 4;
  EXPECT_EQ(only(run(scenario, observe_squares)).count, 10u);
}

}  // namespace
}  // namespace ringscope::flags_test
