// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 13: what do receives and early messages cost that matching looks at in vain?
#include <vector>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

class MatchCost : public SimulationTest {};

constexpr double look = 100 * us;  ///< longer than all the rest of messages without bytes
constexpr int many = 5;

/// Messages without bytes of which nothing but matching takes time.
Scenario only_matching() {
  Scenario scenario = only_bytes();
  scenario.library.match_cost = Seconds(look);
  return scenario;
}

enum class Sent { in_order, in_reverse };

template <Sent sent>
Task to_posted_receives(Communicator comm, Workspace, Options) {
  if (comm.rank() > 1) co_return;
  std::vector<Request> all;
  for (int i = 0; comm.rank() == 1 && i < many; ++i) all.push_back(comm.irecv(nothing, 0, i));
  for (int i = 0; comm.rank() == 0 && i < many; ++i) {
    const int tag = sent == Sent::in_order ? i : many - 1 - i;
    all.push_back(comm.isend(nothing, 1, tag));
  }
  for (const Request request : all) co_await comm.wait(request);
}

TEST_F(MatchCost, receives_posted_before_its_own_are_looked_at_one_by_one) {
  const Report report = run(only_matching(), to_posted_receives<Sent::in_reverse>);
  expect_seconds(finish(report, 1), many * (many - 1) / 2 * look);
}

TEST_F(MatchCost, messages_in_receive_order_cost_nothing) {
  EXPECT_EQ(finish(run(only_matching(), to_posted_receives<Sent::in_order>), 1), 0);
}

/// Rank 1 comes late, and takes the early messages in their order, or the last one first.
template <bool in_order>
Task early(Communicator comm, Workspace, Options options) {
  for (int i = 0; comm.rank() == 0 && i < many; ++i) co_await comm.send(nothing, 1, i);
  if (comm.rank() != 1) co_return;
  co_await comm.compute(options.compute);
  for (int i = 0; i < many; ++i) co_await comm.recv(nothing, 0, in_order ? i : many - 1 - i);
}

TEST_F(MatchCost, a_receive_looks_at_early_messages_one_by_one) {
  const Report report = run(only_matching(), early<false>, compute(1 * ms));
  expect_seconds(finish(report, 1), 1 * ms + many * (many - 1) / 2 * look);
}

TEST_F(MatchCost, the_first_one_of_them_costs_nothing) {
  expect_seconds(finish(run(only_matching(), early<true>, compute(1 * ms)), 1), 1 * ms);
}

/// Rank 1 posts a receive when others' messages are there, which it has not asked for yet.
Task past_early_messages(Communicator comm, Workspace, Options options) {
  if (comm.rank() == 0) {
    for (int i = 1; i < many; ++i) co_await comm.send(nothing, 1, i);
    co_await comm.compute(options.compute * 2);
    co_await comm.send(nothing, 1, 0);
  }
  if (comm.rank() != 1) co_return;
  co_await comm.compute(options.compute);
  co_await comm.recv(nothing, 0, 0);
}

TEST_F(MatchCost, a_receive_that_finds_none_has_looked_at_all) {
  const Report report = run(only_matching(), past_early_messages, compute(1 * ms));
  expect_seconds(finish(report, 1), 2 * ms + (many - 1) * look);
}

TEST_F(MatchCost, a_nic_matches_for_nothing) {
  const Scenario scenario = with_nic(only_matching(), Progress::nic);
  EXPECT_EQ(finish(run(scenario, to_posted_receives<Sent::in_reverse>), 1), 0);
}

}  // namespace
}  // namespace ringscope::rules
