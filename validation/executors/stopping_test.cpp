// SPDX-License-Identifier: LGPL-2.1-or-later
// Do repetitions end when the median is known, and not before?
#include "validation/executors/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace ringscope {
namespace {

TEST(Stopping, the_interval_leaves_out_what_the_binomial_table_says) {
  // Le Boudec, "Performance Evaluation", table A.1: at 95 % n = 6 takes the samples 1 to 6, 10
  // takes 2 to 9, 20 takes 6 to 15, 70 takes 27 to 44 (counted from 1).
  EXPECT_EQ(samples_outside(6, 0.95), 0U);
  EXPECT_EQ(samples_outside(10, 0.95), 1U);
  EXPECT_EQ(samples_outside(20, 0.95), 5U);
  EXPECT_EQ(samples_outside(70, 0.95), 26U);
}

TEST(Stopping, fewer_samples_than_the_confidence_asks_for_give_no_interval) {
  // All n on one side of the median: 2 * 2^-n. At 5 samples that is 0.0625.
  EXPECT_FALSE(samples_outside(0, 0.95));
  EXPECT_FALSE(samples_outside(5, 0.95));
  EXPECT_TRUE(samples_outside(5, 1 - 2 * std::exp2(-5)));
  EXPECT_FALSE(median_interval({1, 2, 3}, 0.95));
}

TEST(Stopping, many_samples_follow_the_normal_law) {
  // n/2 -+ 1.96 sqrt(n)/2, to one sample; 2^-5000 is no double.
  const double n = 5000, expected = n / 2 - 1.96 * std::sqrt(n) / 2;
  EXPECT_NEAR(static_cast<double>(*samples_outside(5000, 0.95)), expected, 1);
}

TEST(Stopping, the_interval_is_made_of_samples) {
  const auto interval = median_interval({9, 1, 8, 2, 7, 3, 6, 4, 5, 10}, 0.95);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 9);
}

TEST(Stopping, equal_samples_are_enough_at_the_least_number) {
  const StoppingRule rule{.least = 8};
  EXPECT_EQ(stopped_by(rule, std::vector<double>(7, 1.0), 0), "");
  EXPECT_EQ(stopped_by(rule, std::vector<double>(8, 1.0), 0), "precision");
}

TEST(Stopping, wide_samples_end_at_the_most_or_with_the_budget) {
  std::vector<double> wide(20);
  std::iota(wide.begin(), wide.end(), 1.0);
  EXPECT_EQ(stopped_by({.most = 100}, wide, 5), "");
  EXPECT_EQ(stopped_by({.most = 100, .budget_s = 5}, wide, 5), "budget");
  EXPECT_EQ(stopped_by({.most = 20, .budget_s = 5}, wide, 5), "repetitions");
  EXPECT_EQ(stopped_by({.least = 30, .budget_s = 5}, wide, 5), "");
}

TEST(Stopping, the_interval_may_reach_as_far_as_the_precision_to_each_side) {
  // Ten samples: the interval is from the second to the ninth; the median is 100.
  const std::vector<double> samples = {50, 95, 100, 100, 100, 100, 100, 100, 105, 200};
  EXPECT_EQ(stopped_by({.precision = 0.05}, samples, 0), "precision");
  EXPECT_EQ(stopped_by({.precision = 0.04}, samples, 0), "");
}

/// Runs that all take a second by the clock of the test.
struct Runs {
  std::vector<double> samples;
  double now = 0;
  int warmups = 0;

  std::string_view repeat(const RepetitionRule& rule, const Told& told = told_to_itself) {
    const auto once = [this](bool warmup) {
      now += 1;
      if (warmup)
        ++warmups;
      else
        samples.push_back(1);
    };
    return ringscope::repeat(
        rule, samples, [this] { return now; }, once, told);
  }
};

TEST(Repeat, warms_up_and_then_takes_samples_until_they_are_enough) {
  Runs runs;
  EXPECT_EQ(runs.repeat({.warmups = 3, .stop = {.least = 2, .most = 4, .precision = 1e-9}}),
            "repetitions");
  EXPECT_EQ(runs.warmups, 3);
  EXPECT_EQ(runs.samples.size(), 4);
}

TEST(Repeat, does_not_count_the_warm_ups_in_the_budget) {
  Runs runs;
  EXPECT_EQ(runs.repeat({.warmups = 9, .stop = {.least = 1, .budget_s = 5}}), "budget");
  EXPECT_EQ(runs.samples.size(), 5);
}

TEST(Repeat, ends_when_the_deciding_process_says_so) {
  Runs runs;
  int asked = 0;
  runs.repeat({.warmups = 0, .stop = {.least = 1, .most = 1}},
              [&asked](int) { return ++asked < 7 ? 0 : 1; });
  EXPECT_EQ(runs.samples.size(), 7);
}

}  // namespace
}  // namespace ringscope
