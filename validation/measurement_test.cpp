// Do measurements keep what was measured, and is a wrong result seen?
#include "validation/measurement.hpp"

#include <gtest/gtest.h>

#include "validation/check.hpp"

namespace ringscope {
namespace {

TEST(Spread, of_one_sample_is_that_sample) {
  const Spread spread = spread_of({0.25});
  EXPECT_EQ(spread.p10_s, 0.25);
  EXPECT_EQ(spread.median_s, 0.25);
  EXPECT_EQ(spread.p90_s, 0.25);
}

TEST(Spread, lies_between_neighbours_of_the_sorted_samples) {
  const Spread spread = spread_of({5, 1, 4, 2, 3, 0});  // sorted: sample i is i
  EXPECT_DOUBLE_EQ(spread.p10_s, 0.1 * 5);
  EXPECT_DOUBLE_EQ(spread.median_s, 0.5 * 5);
  EXPECT_DOUBLE_EQ(spread.p90_s, 0.9 * 5);
}

TEST(Provenance, says_what_where_and_when) {
  const char* const words[] = {"ringscope-mpi", "replay", "x"};
  const Provenance here = provenance_here(3, words);
  EXPECT_EQ(here.command, "ringscope-mpi replay x");
  EXPECT_EQ(here.date.size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_TRUE(here.kernel.starts_with("Linux "));
}

TEST(Check, finds_the_first_item_that_differs) {
  const float expected[] = {1, 2, 3}, wrong[] = {1, 4, 5};
  EXPECT_EQ(first_difference(expected, expected), -1);
  EXPECT_EQ(first_difference(wrong, expected), 1);
  EXPECT_EQ(first_difference(std::span(expected).first(2), expected), 2);
}

TEST(Check, items_differ_per_rank_and_per_index) {
  EXPECT_NE(initial_item(0, 0), initial_item(1, 0));
  EXPECT_NE(initial_item(0, 0), initial_item(0, 1));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_LT(initial_item(3, i), 17);
}

}  // namespace
}  // namespace ringscope
