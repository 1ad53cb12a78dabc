// SPDX-License-Identifier: LGPL-2.1-or-later
// The data that replays run on, and whether a result is right.
#pragma once

#include <cstddef>
#include <span>

namespace ringscope {

/// Item `index` of rank `rank` at the start: small whole numbers, so that sums are exact in float
/// whatever their order, different per rank and per index.
inline float initial_item(int rank, std::size_t index) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 31 + index * 7) % 17);
}

/// The index of the first item that differs, or where one of the two ends; -1 when they are equal.
std::ptrdiff_t first_difference(std::span<const float> got, std::span<const float> expected);

}  // namespace ringscope
