// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the nodes of a trace run after what they wait for, on lanes of their own, and at the cost that
// their messages and collectives have?
#include "algorithms/traces/trace.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "algorithms/catalogue_cases_for_test.hpp"

namespace ringscope::traces {
namespace {

Node compute(double seconds, std::vector<int> after = {}, int lane = 0) {
  return {.kind = Node::Kind::compute,
          .lane = lane,
          .time = Duration(seconds),
          .after = std::move(after)};
}
Node send(int peer, std::uint64_t items, std::vector<int> after = {}) {
  return {.kind = Node::Kind::send, .items = items, .peer = peer, .after = std::move(after)};
}
Node receive(int peer, std::uint64_t items, std::vector<int> after = {}) {
  return {.kind = Node::Kind::receive, .items = items, .peer = peer, .after = std::move(after)};
}
Node collective(std::string_view kind, int group, std::uint64_t items, std::vector<int> after = {},
                int lane = 0) {
  return {.kind = Node::Kind::collective,
          .lane = lane,
          .items = items,
          .group = group,
          .algorithm = find_algorithm(kind, kind == "broadcast" ? "binomial" : "ring"),
          .after = std::move(after)};
}

TraceGroup group(std::string name, std::vector<int> ranks) {
  return {std::move(name), std::make_shared<const Table<int>>(std::move(ranks))};
}

/// Four ranks: two pairs sum, rank 0 sends to rank 3 what it has, all sum.
Trace pairs_then_all(int lane) {
  Trace trace;
  trace.groups = {group("low", {0, 1}), group("high", {3, 2}), group("all", {0, 1, 2, 3})};
  for (int rank = 0; rank < 4; ++rank) {
    std::vector<Node> nodes = {compute(1), collective("allreduce", rank / 2, 40, {0}, lane)};
    if (rank == 0) nodes.push_back(send(3, 8, {1}));
    if (rank == 3) nodes.push_back(receive(0, 8, {}));
    const bool has_message = rank % 3 == 0;
    nodes.push_back(
        collective("allreduce", 2, 400, has_message ? std::vector{1, 2} : std::vector{1}, lane));
    trace.ranks.push_back(std::move(nodes));
  }
  return trace;
}

LoopbackResult run(const Trace& trace, const LoopbackOptions& how = {}) {
  schedules::Schedule schedule{.name = "trace", .collective = "messages"};
  schedule.trace = std::make_shared<const Trace>(trace);
  Options options;
  options.schedule = &schedule;
  const Algorithm algorithm = algorithm_of_trace(schedule);
  const auto ranks = static_cast<int>(trace.ranks.size());
  const std::size_t items = longest_of(trace);
  const LoopbackResult result = run_loopback(algorithm, ranks, items, options, item_of, how);
  const Cost declared = algorithm.cost(ranks, items, options);
  EXPECT_EQ(result.counted.messages, declared.messages);
  EXPECT_EQ(result.counted.items, declared.items);
  EXPECT_GE(result.counted.steps, declared.steps);
  return result;
}

std::vector<LoopbackOptions> ways() {
  return {{}, {.seed = 7}, {.synchronous_sends = true}, {.synchronous_sends = true, .seed = 11}};
}

// A ring of p ranks sends 2(p-1) messages from each: 2 pairs, 4 in all, and one message.
TEST(Trace, runs_collectives_on_groups_and_messages_between_them) {
  for (const int lane : {0, 1})
    for (const LoopbackOptions& how : ways()) {
      const LoopbackResult result = run(pairs_then_all(lane), how);
      EXPECT_EQ(result.counted.messages, 2 * (2 * 2 * 1) + 4 * 2 * 3 + 1);
      EXPECT_EQ(result.counted.items, 2u * 2 * 40 + 2 * 3 * 400 + 8);
    }
}

// Rank 0 sends after it has received, rank 1 the other way round, many at once.
TEST(Trace, carries_more_messages_than_its_carriers) {
  constexpr int count = 200;
  Trace trace;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Node> nodes = {compute(0, {}, 1)};
    for (int i = 0; i < count; ++i) {
      const auto items = static_cast<std::uint64_t>(i + 1);
      nodes.push_back(rank == 0 ? send(1, items) : receive(0, items));
    }
    trace.ranks.push_back(std::move(nodes));
  }
  for (const LoopbackOptions& how : ways()) EXPECT_EQ(run(trace, how).counted.messages, count);
}

TEST(Trace, program_trace_waits_for_nonblocking_collectives) {
  Trace trace;
  trace.groups = {group("all", {0, 1})};
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Node> nodes = {collective("allreduce", 0, 10),
                               rank == 0 ? send(1, 4) : receive(0, 4), compute(1),
                               compute(0, {0, 1, 2}), collective("broadcast", 0, 6, {3})};
    nodes[0].nonblocking = true;
    trace.ranks.push_back(std::move(nodes));
  }
  for (const LoopbackOptions& how : ways())
    EXPECT_EQ(run(trace, how).counted.messages, 2 * 2 + 1 + 1);
}

// Both send before they receive, and no send ends before its receive is posted.
TEST(Trace, goes_on_behind_sends_whose_data_are_in_a_buffer) {
  for (const int lane : {0, 1}) {
    Trace trace;
    for (int rank = 0; rank < 2; ++rank)
      trace.ranks.push_back({send(1 - rank, 4), receive(1 - rank, 4, {0}), compute(1, {1}, lane)});
    EXPECT_THROW(run(trace, {.synchronous_sends = true}), LoopbackDeadlock);
    for (auto& nodes : trace.ranks) nodes[1].after.swap(nodes[1].after_starts);
    for (const LoopbackOptions& how : ways()) EXPECT_EQ(run(trace, how).counted.messages, 2);
  }
}

TEST(Trace, missing_rank_of_a_collective_is_a_deadlock) {
  Trace trace = pairs_then_all(0);
  trace.ranks[2].pop_back();
  EXPECT_THROW(run(trace), LoopbackDeadlock);
}

TEST(Trace, dependency_cycle_is_reported_with_its_first_node) {
  Trace trace = pairs_then_all(0);
  EXPECT_EQ(in_a_circle(trace).rank, -1);
  trace.ranks[1][0].after = {2};
  EXPECT_EQ(in_a_circle(trace).rank, 1);
  EXPECT_EQ(in_a_circle(trace).node, 0);
  trace.ranks[1][0].after.swap(trace.ranks[1][0].after_starts);
  EXPECT_EQ(in_a_circle(trace).rank, 1);
  trace.ranks[1][0].after_starts.clear();
  trace.ranks[1][1].after.swap(trace.ranks[1][1].after_starts);
  EXPECT_EQ(in_a_circle(trace).rank, -1);
}

}  // namespace
}  // namespace ringscope::traces
