// SPDX-License-Identifier: LGPL-2.1-or-later
// Are programs performed as they stand: their steps in order, their groups apart, their data right?
#include "algorithms/programs/program.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/programs/partners.hpp"
#include "algorithms/programs/walk.hpp"
#include "algorithms/schedules/schedule.hpp"

namespace ringscope::programs {
namespace {

using Kind = Step::Kind;

/// 2 x 3 ranks, nested x-y: kinds 1 and 2; all communicators of streams 0 and 1.
Program on_a_grid() {
  Program program;
  std::vector<int> all = {0, 1, 2, 3, 4, 5};
  program.kinds = {kind_of("all", {all}, 6)};
  program.grid = Grid({{"x", 2}, {"y", 3}});
  program.kinds.push_back(kind_of(program.grid, "x"));
  program.kinds.push_back(kind_of(program.grid, "y"));
  program.streams = {"main", "beside"};
  for (int kind = 0; kind < 3; ++kind)
    for (const int stream : {-1, 0, 1}) program.communicators.push_back({kind, stream});
  program.slots = 4;
  return program;
}

int communicator_of(int kind, int stream) { return 3 * kind + stream + 1; }

Step allreduce(int kind, double items, int stream = 0) {
  Step step;
  step.kind = Kind::collective;
  step.name = "allreduce";
  step.group = kind;
  step.stream = stream;
  step.amount = Expression(items);
  step.communicator = communicator_of(kind, stream);
  step.algorithm = find_algorithm("allreduce", "ring");
  return step;
}

Step message(bool sends, int kind, Partner::Rule rule, double items) {
  Step step;
  step.kind = sends ? Kind::send : Kind::receive;
  step.name = sends ? "send" : "receive";
  step.group = kind;
  step.amount = Expression(items);
  step.partner.rule = rule;
  step.communicator = communicator_of(kind, -1);
  return step;
}

Step block(double turns, std::vector<Step> steps, int slot = 0) {
  Step step;
  step.kind = Kind::block;
  step.amount = Expression(turns);
  step.slot = slot;
  step.steps = std::move(steps);
  return step;
}

Step together(std::vector<Step> messages) {
  Step step;
  step.kind = Kind::together;
  step.name = "together";
  step.steps = std::move(messages);
  return step;
}

void number(std::vector<Step>& steps, int& ids) {
  for (Step& step : steps) {
    step.id = ids++;
    number(step.steps, ids);
  }
}

Program with(std::vector<Step> steps) {
  Program program = on_a_grid();
  number(steps, program.ids);
  program.steps = std::move(steps);
  survey(program);
  return program;
}

LoopbackResult run(const Program& program, const LoopbackOptions& how = {}) {
  schedules::Schedule schedule{.name = "program", .collective = "messages"};
  schedule.program = std::make_shared<const Program>(program);
  Options options;
  options.schedule = &schedule;
  const Algorithm algorithm = algorithm_of_program(schedule);
  const std::size_t items = program.longest;
  const LoopbackResult result =
      run_loopback(algorithm, program.ranks(), items, options, item_of, how);
  const Cost declared = algorithm.cost(program.ranks(), items, options);
  EXPECT_EQ(result.counted.messages, declared.messages);
  EXPECT_EQ(result.counted.items, declared.items);
  EXPECT_LE(result.scratch_used, algorithm.scratch_items(program.ranks(), items, options));
  return result;
}

std::vector<LoopbackOptions> ways() {
  return {{}, {.seed = 7}, {.synchronous_sends = true}, {.synchronous_sends = true, .seed = 11}};
}

// A sum along x and then along y is the sum of all.
TEST(Program, sums_along_both_dimensions_of_a_grid_to_the_sum_of_all) {
  const Program program = with({allreduce(1, 30), allreduce(2, 30)});
  for (const LoopbackOptions& how : ways()) {
    const LoopbackResult result = run(program, how);
    for (std::size_t i = 0; i < 30; ++i) {
      float sum = 0;
      for (int rank = 0; rank < 6; ++rank) sum += item_of(rank, i);
      for (const auto& data : result.data) EXPECT_FLOAT_EQ(data[i], sum);
    }
  }
}

// Streams have places of their own: what one sums the other does not see.
TEST(Program, keeps_the_data_of_its_streams_apart) {
  const Program program = with({allreduce(0, 12), block(5, {allreduce(0, 12, 1)})});
  for (const LoopbackOptions& how : ways()) {
    float sum = 0;
    for (int rank = 0; rank < 6; ++rank) sum += item_of(rank, 3);
    EXPECT_FLOAT_EQ(run(program, how).data[2][3], sum);
  }
}

// y has 3 places: 2 messages forward and 2 back for each of 2 groups, 4 times.
TEST(Program, exchanges_with_neighbours_in_loops) {
  using Rule = Partner::Rule;
  const Program program = with({block(
      4, {together({message(true, 2, Rule::next, 5), message(true, 2, Rule::previous, 3),
                    message(false, 2, Rule::next, 3), message(false, 2, Rule::previous, 5)})})});
  EXPECT_EQ(program.messages, 4u * 2 * (2 + 2));
  EXPECT_EQ(program.items, 4u * 2 * (2 * 5 + 2 * 3));
  for (const LoopbackOptions& how : ways()) EXPECT_EQ(run(program, how).counted.messages, 32);
}

// Steps of the other stream are waited for, each time anew.
TEST(Program, waits_for_the_last_step_of_a_name) {
  Step first = allreduce(1, 6, 1);
  first.raises = 0;
  Step second = allreduce(2, 6);
  second.after = {{0, 0}};
  Program program = on_a_grid();
  program.flags = 1;
  program.steps = {block(3, {first, second})};
  number(program.steps, program.ids);
  survey(program);
  Walk walk(program, 0);
  for (int turn = 1; turn <= 3; ++turn) {
    EXPECT_EQ(walk.next()->stream, 1);
    const Step* waits = walk.next();
    EXPECT_EQ(walk.awaited(waits->after.front()), turn);
    EXPECT_EQ(walk.awaited({0, 1}), turn - 1);
    EXPECT_EQ(walk.awaited({0, 5}), 0);
  }
  EXPECT_EQ(walk.next(), nullptr);
  EXPECT_EQ(walk.next(), nullptr);
  for (const LoopbackOptions& how : ways()) run(program, how);
}

// A loop of a million turns is looked at once, and counted as often as it turns.
TEST(Program, counts_long_loops_without_going_through_them) {
  const Program program = with({block(1e6, {block(1e3, {allreduce(1, 10)}, 1)})});
  EXPECT_EQ(program.messages, std::uint64_t{1'000'000'000} * 3 * 2 * 2);
  EXPECT_EQ(program.done, 6e9);
}

// 65,536 to the power of 4 is 0 in 64 bits, as many sends as nobody receives.
TEST(Program, refuses_more_than_it_can_count) {
  Step inner = message(true, 2, Partner::Rule::next, 1);
  for (int loops = 0; loops < 4; ++loops) inner = block(65536, {inner}, loops);
  const auto complaint = [&] {
    try {
      with({inner});
    } catch (const Unsound& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(complaint().find("more than 1e+18 are not counted"), std::string::npos) << complaint();
}

// Two loops of a billion turns each, in which the other rank alone does something.
TEST(Program, leaves_loops_at_once_in_which_a_rank_does_nothing) {
  Step first = message(true, 2, Partner::Rule::next, 5);
  first.on = {{0, Condition::Which::listed, {0}}};
  Program program = on_a_grid();
  program.steps = {block(1e9, {block(1e9, {first}, 1)}), message(true, 2, Partner::Rule::next, 7)};
  number(program.steps, program.ids);
  Walk walk(program, 1);
  const Step* only = walk.next();
  ASSERT_NE(only, nullptr);
  EXPECT_EQ(walk.stand().value(only->amount), 7);
  EXPECT_EQ(walk.next(), nullptr);
}

TEST(Sequences, loop_sequence_is_the_sequence_of_its_turns) {
  Sequence once, unrolled;
  for (const std::uint64_t number : {3u, 1u, 4u}) once.append(Sequence(number));
  for (int turn = 0; turn < 1000; ++turn)
    for (const std::uint64_t number : {3u, 1u, 4u}) unrolled.append(Sequence(number));
  EXPECT_EQ(once.times(1000), unrolled);
  EXPECT_EQ(once.times(1000).length(), 3000u);
  Sequence other = once;
  other.append(Sequence(1));
  EXPECT_FALSE(other.times(1000) == unrolled);
  Sequence swapped;
  for (const std::uint64_t number : {3u, 4u, 1u}) swapped.append(Sequence(number));
  EXPECT_FALSE(swapped == once);
  EXPECT_EQ(once.times(0), Sequence());
}

}  // namespace
}  // namespace ringscope::programs
