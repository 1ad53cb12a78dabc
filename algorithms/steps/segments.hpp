// Cuts a range into segments for a pipeline.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ringscope {

/// The fewest segments of at most `most` items that `items` need; one where there are none.
/// Requires most >= 1.
constexpr std::size_t segments_of(std::size_t items, std::size_t most) {
  return std::max<std::size_t>(1, items / most + (items % most == 0 ? 0 : 1));
}

}  // namespace ringscope
