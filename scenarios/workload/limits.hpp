// SPDX-License-Identifier: LGPL-2.1-or-later
// Limits of what a workload may say, so that no sum of it overflows.
#pragma once

#include <cstdint>

namespace ringscope {

inline constexpr std::int64_t most_records = 1'000'000'000'000;
inline constexpr int most_batch = 1'000'000;
inline constexpr double most_flops = 1e21;
/// Standard deviation of the times of devices, divided by their mean.
inline constexpr double most_variation = 0.3;
/// Standard deviation of the logarithm of a random factor.
inline constexpr double most_spread = 3;

}  // namespace ringscope
