// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 14: what does it cost to poll the connections that are open?
#include <string>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

class Polled : public SimulationTest {};

constexpr double poll = 10 * us;

/// Messages of which nothing but polling takes time.
Scenario only_polling(const std::string& placement = "1-1-1-1", const std::string& hosts = "4") {
  Scenario scenario = scenario_of(R"(
cluster: {network: star, hosts: )" +
                                  hosts + R"(, link: {bandwidth: 1 GB/s, latency: 0 s},
  host: {type: simple, cores: 8}}
library:
  base: ideal
  progress: caller
  network: {latency: 0 s, eager_limit: unlimited, driver: caller, connection_cost: 10 us}
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
placement: )" + placement);
  return scenario;
}

Task to_the_last(Communicator comm, Workspace, Options) {
  const int last = comm.size() - 1;
  if (comm.rank() == 0) co_await comm.send(nothing, last);
  if (comm.rank() == last) co_await comm.recv(nothing, 0);
}

TEST_F(Polled, two_hosts_have_one_connection_which_costs_nothing_more) {
  EXPECT_EQ(finish(run(only_polling("1-1"), to_the_last), 1), 0);
}

/// Hosts, with a rank each.
class PolledOn : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Hosts, PolledOn, testing::Values(3, 4, 5, 8, 64),
                         testing::PrintToStringParamName());

TEST_P(PolledOn, a_run_begins_with_those_of_a_barrier) {
  const int hosts = GetParam();
  int rounds = 0;  // ceil(log2 hosts); two partners in each, one in the last; one costs nothing
  while (1 << rounds < hosts) ++rounds;
  const std::string count = std::to_string(hosts);
  const Report report = run(only_polling("1x" + count, count), to_the_last);
  expect_seconds(finish(report, hosts - 1), (2 * rounds - 2) * poll);
}

TEST_F(Polled, inside_a_host_there_are_none) {
  EXPECT_EQ(finish(run(only_polling("4"), to_the_last), 3), 0);
}

TEST_F(Polled, ranks_of_a_host_have_those_of_one) {
  expect_seconds(finish(run(only_polling("3x4"), to_the_last), 11), 2 * poll);
}

/// Rank r sends after r times `compute`; the last one receives from all, one after the other.
Task all_to_the_last_one(Communicator comm, Workspace, Options options) {
  const int last = comm.size() - 1;
  if (comm.rank() < last) {
    co_await comm.compute(comm.rank() * options.compute);
    co_await comm.send(nothing, last);
  }
  for (int from = 0; comm.rank() == last && from < last; ++from) co_await comm.recv(nothing, from);
}

TEST_F(Polled, each_further_rank_that_sends_is_one_more) {
  // Six computations after the first message comes that of the seventh rank.
  const double apart = 10 * poll;
  const Report report = run(only_polling("1x8", "8"), all_to_the_last_one, compute(apart));
  expect_seconds(finish(report, 7), 6 * apart + 6 * poll);
}

/// The five connections of a barrier among eight hosts, of which one costs nothing more.
constexpr double poll_of_five = 4 * poll;

Scenario with_work(double seconds) {
  Scenario scenario = only_polling("1x8", "8");
  network(scenario).recv_overhead = SizedTime(Seconds(seconds));
  return scenario;
}

TEST_F(Polled, one_poll_finds_all_that_come_at_once) {
  constexpr double work = 3 * us;
  const Report report = run(with_work(work), all_to_the_last_one);
  expect_seconds(finish(report, 7), poll_of_five + 7 * work);
}

TEST_F(Polled, a_poll_finds_what_comes_before_it_ends) {
  constexpr double work = 3 * us, apart = poll_of_five / 8;
  const Report report = run(with_work(work), all_to_the_last_one, compute(apart));
  expect_seconds(finish(report, 7), poll_of_five + 7 * work);
}

TEST_F(Polled, message_after_a_poll_waits_for_the_next_poll) {
  // The first poll ends at 40 us, the work on the four that it finds at 52; the other three are
  // sent at 44, 55 and 66 us.
  constexpr double work = 3 * us, apart = 11 * us;
  const Report report = run(with_work(work), all_to_the_last_one, compute(apart));
  expect_seconds(finish(report, 7), poll_of_five + 4 * work + poll_of_five + 3 * work);
}

/// All others send while the last one computes; then it receives from them.
Task to_one_that_comes_late(Communicator comm, Workspace, Options options) {
  const int last = comm.size() - 1;
  if (comm.rank() < last) co_await comm.send(nothing, last);
  if (comm.rank() == last) co_await comm.compute(options.compute);
  for (int from = 0; comm.rank() == last && from < last; ++from) co_await comm.recv(nothing, from);
}

TEST_F(Polled, late_receiver_finds_all_messages_in_one_poll) {
  constexpr double late = 1000 * us;
  const Report report = run(only_polling("1x8", "8"), to_one_that_comes_late, compute(late));
  expect_seconds(finish(report, 7), late + 6 * poll);
}

/// Rank 0 sends to all others; then the last one to it.
Task there_and_back(Communicator comm, Workspace, Options) {
  const int last = comm.size() - 1;
  for (int to = 1; comm.rank() == 0 && to <= last; ++to) co_await comm.send(nothing, to);
  if (comm.rank() > 0) co_await comm.recv(nothing, 0);
  if (comm.rank() == last) co_await comm.send(nothing, 0);
  if (comm.rank() == 0) co_await comm.recv(nothing, last);
}

TEST_F(Polled, each_further_rank_that_is_sent_to_is_one_more) {
  // The last one has the five of a barrier, rank 0 its seven.
  const Report report = run(only_polling("1x8", "8"), there_and_back);
  expect_seconds(finish(report, 0), 4 * poll + 6 * poll);
}

TEST_F(Polled, each_repetition_begins_anew) {
  Scenario scenario = only_polling("1x8", "8");
  scenario.job.repetitions = 3;
  const Report report = run(scenario, there_and_back);
  for (const double seconds : report.times_s) expect_seconds(seconds, 4 * poll + 6 * poll);
}

}  // namespace
}  // namespace ringscope::rules
