// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the points of a study dealt out evenly, each to one shard, whatever their order?
#include "sim/studies/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/studies/study_for_test.hpp"

namespace ringscope {
namespace {

std::vector<std::string> some_words(std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(fmt::format("case: size={} KiB", i));
  return words;
}

std::set<std::string> of_shard(const Shard& shard, const std::vector<std::string>& words) {
  std::set<std::string> mine;
  for (const std::size_t index : dealt_to(shard, words)) mine.insert(words[index]);
  return mine;
}

TEST(Shard, each_point_is_in_one_and_shares_differ_by_one_point_at_most) {
  for (const std::size_t points : {0U, 1U, 7U, 100U})
    for (const std::size_t count : {1U, 3U, 8U, 101U}) {
      const std::vector<std::string> words = some_words(points);
      std::set<std::string> all;
      std::size_t sum = 0;
      for (std::size_t number = 1; number <= count; ++number) {
        const std::set<std::string> mine = of_shard({number, count}, words);
        EXPECT_GE(mine.size(), points / count);
        EXPECT_LE(mine.size(), (points + count - 1) / count);
        sum += mine.size();
        all.insert(mine.begin(), mine.end());
      }
      EXPECT_EQ(sum, points);
      EXPECT_EQ(all.size(), points);
    }
}

TEST(Shard, the_order_of_points_decides_nothing) {
  std::vector<std::string> words = some_words(50);
  const std::set<std::string> before = of_shard({2, 5}, words);
  std::ranges::reverse(words);
  EXPECT_EQ(of_shard({2, 5}, words), before);
}

TEST(Shard, points_of_the_same_words_are_one) {
  std::vector<std::string> words = some_words(10);
  for (const std::string& again : some_words(10)) words.push_back(again);
  std::size_t sum = 0;
  for (std::size_t number = 1; number <= 4; ++number) sum += dealt_to({number, 4}, words).size();
  EXPECT_EQ(sum, 10U);
}

/// Points are small scenarios of different sizes.
Points small_points(std::size_t count) {
  return {
      "small",
      some_words(count),
      [](std::size_t index, KnownParts&) { return small_scenario(static_cast<int>(index) + 1); },
      {0}};
}

TEST(Shard, parts_that_are_merged_hold_every_result_and_say_how_many_a_missing_one_has) {
  const TemporaryFile first, third, whole;
  for (const auto& [number, file] : {std::pair{1, &first}, std::pair{3, &third}}) {
    EvaluatorOptions options;
    options.threads = 1;
    options.store = file->path();
    Evaluator evaluator(options);
    const ShardOutcome outcome =
        simulate_shard(small_points(11), {static_cast<std::size_t>(number), 3}, evaluator);
    EXPECT_EQ(outcome.points, number == 3 ? 3U : 4U);
    EXPECT_EQ(outcome.done, outcome.points);
  }
  const std::vector<std::string> parts = {third.path(), first.path()};
  int shards = 0;
  const Merged merged = merge_parts(parts, whole.path(), [&shards] { ++shards; });
  EXPECT_EQ(shards, 3);
  EXPECT_EQ(merged.points, 11U);
  ASSERT_EQ(merged.missing.size(), 1U);
  EXPECT_EQ(merged.missing[0].shard, (Shard{2, 3}));
  EXPECT_EQ(merged.missing_points(), 4U);

  EvaluatorOptions options;
  options.store = whole.path();
  Evaluator evaluator(options);
  const std::vector<Scenario> scenarios = small_scenarios(11);
  evaluator.evaluate(scenarios);
  EXPECT_EQ(evaluator.cached(), 7U);
  EXPECT_EQ(evaluator.simulated(), 4U);

  struct Enough {};
  const TemporaryFile none;
  EXPECT_THROW(merge_parts(parts, none.path(), [] { throw Enough(); }), Enough);
}

}  // namespace
}  // namespace ringscope
