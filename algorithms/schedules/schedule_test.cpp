// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a schedule do what its steps say, in rounds and with copies, and at the cost that it
// declares?
#include "algorithms/schedules/schedule.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/schedules/order.hpp"
#include "algorithms/verbs/group.hpp"

namespace ringscope::schedules {
namespace {

constexpr int ranks = 4;

Chunks data(int chunk) { return {Buffer::data, chunk, 1}; }
constexpr Chunks slot{Buffer::scratch, 0, 1};

Step step(std::vector<Act> acts, int written) {
  return {.kind = "ring", .after = {}, .acts = std::move(acts), .written = written};
}

/// A ring allreduce whose ranks have one block: a chunk per rank, 2(P-1) steps.
Schedule ring() {
  Schedule schedule{
      .name = "ring", .collective = "allreduce", .chunks = ranks, .scratch_chunks = 1};
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks, prev = (rank + ranks - 1) % ranks;
    ThreadBlock block;
    const auto send = [&](int chunk) {
      return Act{.kind = Kind::send, .into = data(chunk), .peer = next};
    };
    const auto chunk = [&](int back) { return (rank + 2 * ranks - back) % ranks; };
    block.steps.push_back(step({send(rank)}, 0));
    for (int i = 1; i < 2 * ranks - 1; ++i) {
      const bool reduces = i < ranks;
      std::vector<Act> acts = {
          {.kind = Kind::receive, .into = reduces ? slot : data(chunk(i)), .peer = prev}};
      if (reduces) acts.push_back({.kind = Kind::reduce, .into = data(chunk(i)), .from = slot});
      if (i < 2 * ranks - 2) acts.push_back(send(chunk(i)));
      block.steps.push_back(step(std::move(acts), i));
    }
    schedule.ranks.push_back({{std::move(block)}});
  }
  schedule.longest_chain = order_of(schedule).longest_chain;
  return schedule;
}

LoopbackResult run(const Schedule& schedule, std::size_t items, const LoopbackOptions& how = {}) {
  Options options;
  options.schedule = &schedule;
  return run_loopback(algorithm_of(schedule), ranks, items, options, item_of, how);
}

void expect_sums(const Schedule& schedule, std::size_t items, const LoopbackOptions& how) {
  const LoopbackResult result = run(schedule, items, how);
  for (const auto& vector : result.data)
    for (std::size_t i = 0; i < items; ++i) {
      float sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += item_of(rank, i);
      ASSERT_EQ(vector[i], sum) << "item " << i;
    }
}

// A chain of 2(P-1) messages, of which each rank sends as many; 2(P-1)S items in all.
TEST(Schedule, ring_schedule_has_the_cost_of_a_ring) {
  const Schedule schedule = ring();
  constexpr std::size_t items = 400;
  const Cost expected{2 * (ranks - 1), 2 * ranks * (ranks - 1), 2 * (ranks - 1) * items};
  Options options;
  options.schedule = &schedule;
  EXPECT_EQ(algorithm_of(schedule).cost(ranks, items, options), expected);
  EXPECT_EQ(run(schedule, items).counted, expected);
  EXPECT_FALSE(flaw_of(schedule)) << flaw_of(schedule)->text;
}

// The protocol's buffers take so many items; a chunk of two and a half times as many takes three
// rounds.
TEST(Schedule, goes_in_rounds_of_what_the_protocol_takes) {
  Schedule schedule = ring();
  schedule.protocol = Protocol::ll;
  const std::size_t most = chunk_items(Protocol::ll, 1), items = ranks * (2 * most + most / 2);
  const LoopbackResult result = run(schedule, items);
  EXPECT_EQ(result.counted.messages, 3 * 2 * ranks * (ranks - 1));
  EXPECT_EQ(result.counted.items, 2 * (ranks - 1) * items);
  expect_sums(schedule, items, {.synchronous_sends = true});
  expect_sums(schedule, items, {.seed = 7});
}

TEST(Schedule, with_copies_computes_the_same) {
  const Schedule copies = staged(ring());
  EXPECT_TRUE(copies.staged);
  EXPECT_FALSE(flaw_of(copies));
  EXPECT_EQ(run(copies, 400).counted, run(ring(), 400).counted);
  expect_sums(copies, 400, {.synchronous_sends = true});
}

TEST(Schedule, empty_buffer_sends_nothing) { EXPECT_EQ(run(ring(), 0).counted, Cost{}); }

// Blocks that both send and then signal wait for each other where a send waits for its receive.
TEST(Schedule, schedule_with_scratch_is_correct_only_with_copies) {
  Schedule schedule{.name = "swap", .collective = "allreduce", .chunks = 1, .scratch_chunks = 1};
  for (int rank = 0; rank < 2; ++rank) {
    ThreadBlock block;
    block.steps.push_back(step({{.kind = Kind::send, .into = data(0), .peer = 1 - rank}}, 0));
    block.steps.back().signals = true;
    block.steps.push_back(step({{.kind = Kind::receive, .into = slot, .peer = 1 - rank},
                                {.kind = Kind::reduce, .into = data(0), .from = slot}},
                               1));
    schedule.ranks.push_back({{std::move(block)}});
  }
  EXPECT_TRUE(order_of(schedule).circle.empty());
  ASSERT_TRUE(flaw_of(schedule));
  EXPECT_EQ(flaw_of(schedule)->step, (StepId{0, 0, 0}));
  EXPECT_FALSE(flaw_of(staged(schedule)));
}

TEST(Schedule, missing_reduction_is_reported_with_the_first_wrong_chunk) {
  Schedule schedule = ring();
  std::erase_if(schedule.ranks[2].blocks[0].steps[1].acts,
                [](const Act& act) { return act.kind == Kind::reduce; });
  const auto flaw = flaw_of(schedule);
  ASSERT_TRUE(flaw);
  EXPECT_EQ(flaw->text,
            "wrong result: rank 0 ends with a wrong chunk 1 of 4: expected the sum of chunk 1 of "
            "all ranks, but the data of rank 1 is missing; this step alone writes it");
}

}  // namespace
}  // namespace ringscope::schedules
