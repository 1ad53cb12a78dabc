// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts a range into segments for a pipeline.
#pragma once

#include <algorithm>
#include <concepts>

#include "algorithms/verbs/range.hpp"

namespace ringscope {

/// The fewest segments of at most `most` items that `items` need; one where there are none.
/// Requires most >= 1.
constexpr std::size_t segments_of(std::size_t items, std::size_t most) {
  return std::max<std::size_t>(1, items / most + (items % most == 0 ? 0 : 1));
}

/// Segment `index` of those: all but the last have `most` items. Requires index < segments_of().
inline Range segment_of(const Range& range, std::integral auto index, std::size_t most) {
  const std::size_t begin = times(index, most);
  return {range.buffer, range.offset + begin, std::min(most, range.size - begin)};
}

}  // namespace ringscope
