// SPDX-License-Identifier: LGPL-2.1-or-later
// The bundles of one resource by their bottlenecks, where there are many: see max_min.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringscope::sim {

/// A hash table with open addresses, in one piece: levels that change by the thousand open and
/// close bundles all the time.
class BundleTable {
 public:
  /// -1: none.
  int find(int bottleneck) const {
    if (slots_.empty()) return -1;
    for (std::size_t at = place_of(bottleneck);; at = next(at)) {
      if (slots_[at].bottleneck == bottleneck) return slots_[at].bundle;
      if (slots_[at].bottleneck == nobody) return -1;
    }
  }
  /// Requires that the bottleneck has none.
  void add(int bottleneck, int bundle) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    ++used_;
    put({bottleneck, bundle});
  }
  /// Requires that the bottleneck has one.
  void remove(int bottleneck) {
    std::size_t gap = place_of(bottleneck);
    while (slots_[gap].bottleneck != bottleneck) gap = next(gap);
    --used_;
    // Those behind it move up, unless that would take them before their places.
    for (std::size_t at = next(gap); slots_[at].bottleneck != nobody; at = next(at)) {
      const std::size_t from_home = (at - place_of(slots_[at].bottleneck)) & mask();
      if (from_home < ((at - gap) & mask())) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = {};
  }
  void clear() {
    slots_.assign(slots_.size(), {});
    used_ = 0;
  }

 private:
  static constexpr int nobody = -1;
  struct Slot {
    int bottleneck = nobody, bundle = -1;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  // Fibonacci hashing: the high bits are mixed best.
  std::size_t place_of(int bottleneck) const {
    return static_cast<std::uint32_t>(bottleneck) * std::uint64_t{0x9e3779b97f4a7c15} >> 40 &
           mask();
  }
  void put(const Slot& slot) {
    std::size_t at = place_of(slot.bottleneck);
    while (slots_[at].bottleneck != nobody) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    constexpr std::size_t least = 32;
    const std::vector<Slot> before = std::move(slots_);
    slots_.assign(before.empty() ? least : 2 * before.size(), {});
    for (const Slot& slot : before)
      if (slot.bottleneck != nobody) put(slot);
  }

  std::vector<Slot> slots_;  ///< none, or a power of 2
  std::size_t used_ = 0;
};

}  // namespace ringscope::sim
