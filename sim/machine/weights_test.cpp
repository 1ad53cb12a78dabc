// SPDX-License-Identifier: LGPL-2.1-or-later
// Are CPU costs small whole numbers of one unit, close to the truth, and computation likewise?
#include "sim/machine/weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ringscope::sim::weights_test {
namespace {

constexpr double ns = 1e-9;
constexpr double tolerance = 0.005;  // of a cost
constexpr int most_units = 64;       // of the least cost

CpuScale scale_of(std::vector<ByteCost> costs) { return CpuScale(costs); }

/// Relative distance of weight * unit from the cost, of which it is an integer image.
double error(const CpuScale& scale, double cost) {
  return std::abs(scale.weight(ByteCost{cost}) / scale.capacity() / cost - 1);
}

TEST(CpuScale, equal_costs_weigh_one) {
  const CpuScale scale = scale_of({{0.8 * ns}, {0.8 * ns}, {0.8 * ns}});
  EXPECT_EQ(scale.weight({0.8 * ns}), 1);
  EXPECT_DOUBLE_EQ(scale.capacity(), 1 / (0.8 * ns));
}

TEST(CpuScale, costs_of_nothing_weigh_nothing_and_change_nothing) {
  const CpuScale scale = scale_of({{0}, {0.5 * ns}, {0}});
  EXPECT_EQ(scale.weight({0}), 0);
  EXPECT_EQ(scale.weight({0.5 * ns}), 1);
  const CpuScale idle = scale_of({{0}});
  EXPECT_EQ(idle.weight({0}), 0);
  EXPECT_GT(idle.capacity(), 0);
  EXPECT_DOUBLE_EQ(idle.compute_amount(3) * idle.compute_weight(), 3 * idle.capacity());
}

TEST(CpuScale, multiples_are_exact) {
  const CpuScale scale = scale_of({{0.5 * ns}, {1.5 * ns}, {1.25 * ns}});
  EXPECT_EQ(scale.weight({0.5 * ns}), 2);
  EXPECT_EQ(scale.weight({1.25 * ns}), 5);
  EXPECT_EQ(scale.weight({1.5 * ns}), 6);
}

TEST(CpuScale, sending_at_1_37_and_receiving_at_2_91_weigh_8_and_17) {
  // 2.91 / 1.37 = 2.1241; 17 / 8 = 2.125 is the first ratio n / m within 0.5 %.
  const CpuScale scale = scale_of({{1.37 * ns}, {2.91 * ns}});
  EXPECT_EQ(scale.weight({1.37 * ns}), 8);
  EXPECT_EQ(scale.weight({2.91 * ns}), 17);
  EXPECT_DOUBLE_EQ(scale.capacity(), 8 / (1.37 * ns));
}

TEST(CpuScale, two_costs_are_within_half_a_percent_where_64_units_of_the_lesser_reach_that) {
  constexpr unsigned seed = 4'321;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-1, 1);
  for (int i = 0; i < 10'000; ++i) {
    const double a = ns * std::pow(10, exponent(random)), b = ns * std::pow(10, exponent(random));
    const double ratio = std::max(a, b) / std::min(a, b);
    double reachable = INFINITY;
    for (int units = 1; units <= most_units; ++units)
      reachable = std::min(reachable, std::abs(std::round(units * ratio) / (units * ratio) - 1));
    const CpuScale scale = scale_of({{a}, {b}});
    const double allowed = std::max(tolerance, reachable) + 1e-12;
    EXPECT_LE(error(scale, a), allowed) << a << " and " << b;
    EXPECT_LE(error(scale, b), allowed) << a << " and " << b;
    EXPECT_LE(std::min(scale.weight({a}), scale.weight({b})), most_units);
  }
}

TEST(CpuScale, a_handful_of_costs_is_as_close_as_weights_allow) {
  constexpr unsigned seed = 987;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-1, 1);
  for (int i = 0; i < 1'000; ++i) {
    std::vector<ByteCost> costs(6);
    for (ByteCost& cost : costs) cost.seconds_per_byte = ns * std::pow(10, exponent(random));
    const CpuScale scale(costs);
    // With the least at most_units, rounding moves any other by half a unit of more.
    for (const ByteCost cost : costs)
      EXPECT_LE(error(scale, cost.seconds_per_byte), 0.5 / most_units * (1 + 1e-9));
  }
}

TEST(CpuScale, costs_far_apart_keep_weights_small) {
  constexpr int heaviest = 4096;
  for (double ratio = 10; ratio < 1e15; ratio *= 10) {
    const double least = ns / ratio;
    const CpuScale scale = scale_of({{least}, {ns}});
    EXPECT_GE(scale.weight({least}), 1);
    EXPECT_LE(scale.weight({ns}), heaviest);
    EXPECT_LE(error(scale, ns), tolerance);
    // An error of the lesser one does not show beside the other.
    EXPECT_LE(std::abs(scale.weight({least}) / scale.capacity() - least), tolerance * ns);
  }
}

TEST(CpuScale, computing_takes_its_time_and_shares_a_core_as_the_costliest_bytes_do) {
  const CpuScale scale = scale_of({{1.37 * ns}, {2.91 * ns}});
  EXPECT_EQ(scale.compute_weight(), scale.weight({2.91 * ns}));
  const double seconds = 3e-6;
  EXPECT_DOUBLE_EQ(scale.compute_amount(seconds) * scale.compute_weight() / scale.capacity(),
                   seconds);
  EXPECT_NEAR(scale.compute_amount(seconds), seconds / (2.91 * ns),
              tolerance * seconds / (2.91 * ns));
}

}  // namespace
}  // namespace ringscope::sim::weights_test
