// SPDX-License-Identifier: LGPL-2.1-or-later
// Totals of chains by kind and owner of their segments.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace ringscope::sim {

/// A segment of a chain without its place in time, or a sum of them; see Paths for `what`.
struct PathTotal {
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t what = nothing;
  int rank = -1;
  double seconds = 0;

  std::uint64_t key() const {
    return static_cast<std::uint64_t>(what) << 32 | static_cast<std::uint32_t>(rank);
  }
  bool operator==(const PathTotal&) const = default;
};

/// Sums by key: a hash table with open addresses.
class PathTotals {
 public:
  void add(const PathTotal& one) {
    if (8 * (used_ + 1) > 7 * slots_.size()) grow();
    PathTotal& place = find(one);
    if (place.what == PathTotal::nothing) {
      ++used_;
      place = one;
    } else {
      place.seconds += one.seconds;
    }
  }
  /// Makes room for so many.
  void reserve(std::size_t size);
  std::size_t size() const { return used_; }
  /// All, the largest first; of equals in the order of their keys.
  std::vector<PathTotal> list() const;
  /// All, in an order that what was added gives.
  std::vector<PathTotal> unsorted() const;

 private:
  PathTotal& find(const PathTotal& key) {
    const std::size_t mask = slots_.size() - 1;
    // Fibonacci hashing: the high bits are mixed best.
    std::size_t place = (key.key() * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[place].what != PathTotal::nothing && slots_[place].key() != key.key())
      place = (place + 1) & mask;
    return slots_[place];
  }
  void grow() { resize(slots_.empty() ? 8 : 2 * slots_.size()); }
  void resize(std::size_t slots);

  std::vector<PathTotal> slots_;  ///< none, or a power of 2
  std::size_t used_ = 0;
};

}  // namespace ringscope::sim
