// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each wrong program draw the message that tells a person what to do, and does a right one
// read as it stands?
//
// broken_programs.txt holds the wrong ones, and the messages.
#include <gtest/gtest.h>

#include "algorithms/programs/program.hpp"
#include "scenarios/program/steps.hpp"
#include "scripts/testing/sanitized.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/sections_for_test.hpp"

namespace ringscope {
namespace {

std::shared_ptr<const ScheduleFile> read(const std::string& job, int ranks) {
  const Value value = Value::from_text("job", job);
  Fields fields(value, "job");
  return read_program_of_steps(fields, fields.required("program"), ranks);
}

TEST(BrokenPrograms, say_what_is_wrong_and_where) {
  int wrong = 0;
  for (const Section& one : sections_of("scenarios/program/broken_programs.txt")) {
    ++wrong;
    if (sanitized && one.name == "a_loop_of_too_many_different_turns") continue;  // 1e8 of them
    const int ranks = std::stoi(one.part("ranks", "4"));
    EXPECT_EQ(complaint_of([&] { (void)read(one.part("job"), ranks); }), one.part("message"))
        << one.name;
  }
  EXPECT_GE(wrong, 40);
}

double value_of(const std::string& text, int rank = 0) {
  const std::vector<programs::GroupKind> kinds = {programs::kind_of("all", {{0, 1, 2, 3}}, 4),
                                                  programs::kind_of("pair", {{2, 1}}, 4)};
  Scope scope{{"all", "pair"}, {}, {"outer", "", "inner"}};
  scope.values["m"] = {programs::Expression(8), Unit::plain};
  scope.values["forward"] = {programs::Expression(2e-3), Unit::seconds};
  const std::vector<double> turns = {5, 0, 2};
  return read_formula(Value::from_text("formula", text), scope)
      .expression.value({rank, 4, kinds, turns});
}

TEST(Formulas, have_the_values_of_arithmetic) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("-2 + 3"), 1);
  EXPECT_EQ(value_of("(0 - 1) % 4"), 3);
  EXPECT_EQ(value_of("7 % 4"), 3);
  EXPECT_EQ(value_of("min(4, m, 6) + max(1, 2)"), 6);
  EXPECT_EQ(value_of("floor(m / 3) + ceil(m / 3)"), 5);
  EXPECT_EQ(value_of("2 * forward"), 4e-3);
  EXPECT_EQ(value_of("m * 1 MiB / 2"), 4 * 1048576.0);
  EXPECT_EQ(value_of("4 MiB / 1 MiB * 2"), 8);
  EXPECT_EQ(value_of("1.5e3 us"), 1.5e-3);
}

TEST(Formulas, ask_for_turns_ranks_and_groups) {
  EXPECT_EQ(value_of("10 * outer + inner"), 52);
  EXPECT_EQ(value_of("rank + ranks", 3), 7);
  EXPECT_EQ(value_of("index(pair) + 10 * size(pair)", 2), 20);
  EXPECT_EQ(value_of("index(pair)", 1), 1);
  EXPECT_EQ(value_of("index(all)", 3), 3);
}

TEST(Formulas, compare_and_join_conditions) {
  EXPECT_EQ(value_of("inner == 2 and outer != 2"), 1);
  EXPECT_EQ(value_of("inner > 2 or outer >= 5"), 1);
  EXPECT_EQ(value_of("not (m < 8)"), 1);
  EXPECT_EQ(value_of("m <= 7"), 0);
  EXPECT_EQ(value_of("1 ms < forward"), 1);
}

// "all" counts the ranks; the others follow the order, and then the lists.
TEST(Programs, have_groups_by_a_rule_beside_groups_by_lists) {
  const auto file = read(
      "{groups: {order: tp-dp-pp, tp: 2, pp: 2, writers: [5, 0-1], pairs: [[0-3], [4-7]]}, "
      "program: [{barrier: , group: dp}]}",
      8);
  const programs::Program& program = *file->schedule.program;
  std::vector<std::string> names;
  for (const auto& kind : program.kinds) names.push_back(kind.name);
  EXPECT_EQ(names, (std::vector<std::string>{"all", "writers", "pairs", "tp", "dp", "pp"}));
  EXPECT_EQ(*program.kinds[1].groups[0], (std::vector{5, 0, 1}));
  EXPECT_EQ(*program.kinds[3].ranks_with(5), (std::vector{4, 5}));
  EXPECT_EQ(*program.kinds[4].ranks_with(5), (std::vector{5, 7}));
  EXPECT_EQ(*program.kinds[5].ranks_with(5), (std::vector{1, 5}));
  EXPECT_EQ(program.kinds[1].place_of(0), 1);
  EXPECT_FALSE(program.kinds[1].has(7));
}

// The first stream is "main" only where something is done there.
TEST(Programs, have_the_streams_that_their_steps_name) {
  const auto streams = [](const std::string& steps) {
    return read("{program: " + steps + "}", 2)->schedule.program->streams;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(streams("[{barrier: , stream: b}, {compute: 1 s}]"), (Names{"main", "b"}));
  EXPECT_EQ(streams("[{barrier: , stream: b}, {compute: 1 s, stream: a}]"), (Names{"b", "a"}));
  EXPECT_EQ(streams("[{stream: a, steps: [{compute: 1 s}, {compute: 1 s, stream: b}]}]"),
            (Names{"a", "b"}));
}

TEST(Programs, run_the_ring_where_nothing_else_is_said_and_any_algorithm_that_is) {
  const auto file = read(
      "{program: [{allreduce: 1 MB}, {broadcast: 1 MB, options: {root: 3}}, "
      "{alltoall: 1 MB, algorithm: bruck}]}",
      4);
  const auto& steps = file->schedule.program->steps;
  EXPECT_EQ(steps[0].algorithm->name, "ring");
  EXPECT_EQ(steps[1].options.root, 3);
  EXPECT_EQ(steps[2].algorithm->name, "bruck");
}

}  // namespace
}  // namespace ringscope
