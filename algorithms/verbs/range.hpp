// SPDX-License-Identifier: LGPL-2.1-or-later
// Items of a buffer: all that an algorithm ever says about data.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ringscope {

/// The two buffers of a rank: the vector that the collective works on, and scratch space.
enum class Buffer : std::uint8_t { data, scratch };

/// Items of `count` vectors of `items` each.
constexpr std::size_t times(std::integral auto count, std::size_t items) {
  return static_cast<std::size_t>(count) * items;
}

/// `size` items of a buffer from `offset` on. What an item is, the executor says: the simulator
/// counts bytes, the loopback executor and the replays count floats.
struct Range {
  Buffer buffer = Buffer::data;
  std::size_t offset = 0;
  std::size_t size = 0;

  /// Part `number` of this range cut into `count` of equal size; the first (size mod count) parts
  /// hold one item more. Requires 0 <= number < count.
  constexpr Range part(std::integral auto number, std::integral auto count) const {
    const auto i = static_cast<std::size_t>(number), parts = static_cast<std::size_t>(count);
    assert(i < parts);
    const std::size_t small = size / parts, larger = size % parts;
    const std::size_t begin = i * small + (i < larger ? i : larger);
    return {buffer, offset + begin, small + (i < larger ? 1 : 0)};
  }
  /// The first `count` items. Requires count <= size.
  Range first(std::size_t count) const {
    assert(count <= size);
    return {buffer, offset, count};
  }
  bool operator==(const Range&) const = default;
};

/// A buffer cut into one chunk per rank. The index is taken modulo the number of ranks, so that
/// `chunk[self - step]` says what it means for negative values too.
class Chunks {
 public:
  Chunks(Range whole, int ranks) : whole_(whole), ranks_(ranks) { assert(ranks > 0); }
  int count() const { return ranks_; }
  Range operator[](int index) const {
    return whole_.part(((index % ranks_) + ranks_) % ranks_, ranks_);
  }
  /// The items of `count` neighbouring chunks from `first` on, without wrapping around.
  /// Requires 0 <= first and first + count <= number of chunks.
  Range span(int first, int count) const {
    assert(first >= 0 && count >= 0 && first + count <= ranks_);
    if (count == 0) return {whole_.buffer, whole_.offset, 0};
    const Range begin = (*this)[first], last = (*this)[first + count - 1];
    return {whole_.buffer, begin.offset, last.offset + last.size - begin.offset};
  }

 private:
  Range whole_;
  int ranks_;
};

}  // namespace ringscope
