// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the share done what has been received, however many messages are in flight?
#include <gtest/gtest.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {
namespace {

std::vector<double> shares_of(const Scenario& scenario) {
  std::vector<double> shares;
  RunOptions options;
  options.keep_deadlock = true;
  options.progress = [&shares](double done) { shares.push_back(done); };
  simulate(scenario, options);
  return shares;
}

// All 32 x 31 messages are posted at once, of one repetition after the other; every 256th tells,
// and each repetition that begins.
TEST(Progress, grows_while_messages_that_were_posted_at_once_end) {
  const Scenario scenario = scenario_of(R"(
cluster: star64
library: rdma
placement: 1x32
job: {collective: alltoall, algorithm: posted, bytes: 32 MiB, repetitions: 2, skew: 1 ns}
)");
  const double all = 2 * 32 * 31;
  const std::vector<double> expected = {256 / all,        512 / all,         768 / all,
                                        992 / all,        (992 + 256) / all, (992 + 512) / all,
                                        (992 + 768) / all};
  EXPECT_EQ(shares_of(scenario), expected);
}

TEST(Progress, counts_nothing_that_nobody_receives) {
  Scenario scenario = scenario_of(R"(
cluster: pair
library: rdma
placement: 1-1
job: {collective: exchange, algorithm: head_to_head, bytes: 1 MiB}
)");
  Algorithm algorithm = *scenario.job.algorithm;
  algorithm.run = [](Communicator comm, Workspace work, Options) -> Task {
    constexpr int many = 5000;
    std::vector<Request> requests;
    for (int i = 0; i < many; ++i) requests.push_back(comm.isend(work.data, comm.next(), i));
    co_await comm.wait_all(requests);
  };
  scenario.job.algorithm = &algorithm;
  EXPECT_EQ(shares_of(scenario), std::vector<double>());
}

// Messages that are skipped have been received, too.
TEST(Progress, never_goes_back_and_never_ends_before_the_run) {
  const Scenario scenario = scenario_of(R"(
cluster: star64
library: openmpi_tcp
placement: 1x16
job: {collective: allreduce, algorithm: ring, bytes: 1 MiB, repetitions: 20, skew: 1 ns}
)");
  const std::vector<double> shares = shares_of(scenario);
  ASSERT_GT(shares.size(), 3U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LT(shares.back(), 1);
}

// All messages are in flight until nearly the end: nothing that is received tells before.
TEST(Progress, periodic_tests_may_end_a_run_without_receives) {
  const Scenario scenario = scenario_of(R"(
cluster: star64
library: rdma
placement: 1x32
job: {collective: alltoall, algorithm: posted, bytes: 32 MiB}
)");
  struct Enough {};
  RunOptions options;
  options.progress = [](double) { FAIL() << "a message was received before"; };
  options.every_so_often = [] { throw Enough(); };
  EXPECT_THROW(simulate(scenario, options), Enough);
}

}  // namespace
}  // namespace ringscope
