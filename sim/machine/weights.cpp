// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/weights.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringscope::sim {
namespace {

constexpr double tolerance = 0.005;
/// Rounding that a number may gather on its way here: it must not decide.
constexpr double rounding = 1 + 1e-9;
// Most units of the cheapest cost: more cost SimGrid more time than closer ratios are worth.
constexpr int most_units = 64;
// The same for the costliest. Beside it a cost of less than a unit does not show: it counts as one.
constexpr double heaviest = 4096;

double units_of(double cost, double unit) {
  return std::max(1.0, std::floor(cost / unit * rounding + 0.5));
}

double worst_error(std::span<const double> costs, double unit) {
  double worst = 0;
  for (const double cost : costs)
    worst = std::max(worst, std::abs(units_of(cost, unit) * unit / cost - 1));
  return worst;
}

}  // namespace

CpuScale::CpuScale(std::span<const ByteCost> costs) {
  std::vector<double> positive;
  for (const ByteCost cost : costs)
    if (cost.seconds_per_byte > 0) positive.push_back(cost.seconds_per_byte);
  if (positive.empty()) return;
  const auto [cheapest, costliest] = std::minmax_element(positive.begin(), positive.end());
  const double least = std::max(*cheapest, *costliest / heaviest);
  double best_error = INFINITY;
  for (int units = 1; units <= most_units && best_error > tolerance * rounding; ++units) {
    if (units > 1 && *costliest * units > heaviest * least * rounding) break;
    const double error = worst_error(positive, least / units);
    if (error * rounding >= best_error) continue;
    best_error = error;
    unit_ = least / units;
  }
  for (const double cost : positive)
    compute_weight_ = std::max(compute_weight_, weight(ByteCost{cost}));
}

int CpuScale::weight(ByteCost cost) const {
  if (cost.seconds_per_byte <= 0) return 0;
  return static_cast<int>(units_of(cost.seconds_per_byte, unit_));
}

}  // namespace ringscope::sim
