// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank's part in a tree that carries segments of a range up to its root, summed on the way, and
// the sums down again.
//
// Its program is a loop over what completes: directions and trees must not wait for each other, or
// each segment would cost a round trip.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "algorithms/steps/binary_trees.hpp"
#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

/// At most one segment is in flight each way.
class TreeBranch {
 public:
  /// Ways that a rank's segments take; those from and to a child in the order of the children.
  static constexpr std::size_t children = 3, to_parent = children, from_parent = children + 1,
                               to_children = children + 2, ways = to_children + children;

  TreeBranch(int tag, TreeEnds ends, Range range, std::size_t segments)
      : tag_(tag), ends_(ends), range_(range), segments_(segments) {}

  /// Gives each child a slot from `offset` on; returns where the next one begins. `copies`: a leaf
  /// has a slot too, from which it copies the sums to their place.
  std::size_t place_slots(Range scratch, std::size_t offset, bool copies = false);
  /// Number of segments that come and go in all.
  std::size_t total() const;

  void post(Communicator comm, std::size_t way);
  const std::optional<Request>& in_flight(std::size_t way) const { return in_flight_[way]; }
  /// (destination, source) of a segment received this way but not yet added, or, from the parent,
  /// not yet copied; empty elsewhere.
  std::pair<Range, Range> to_add(std::size_t way) const;
  void complete(std::size_t way);

 private:
  int peer(std::size_t way) const;
  bool is_leaf() const { return ends_.children == TreeEnds().children; }
  bool copies() const { return is_leaf() && slots_[0].size > 0; }
  std::size_t summed() const;
  std::size_t ready(std::size_t way) const;

  int tag_;
  TreeEnds ends_;
  Range range_;
  std::size_t segments_;
  std::array<Range, children> slots_;
  std::array<std::optional<Request>, ways> in_flight_;
  std::array<std::size_t, ways> done_{};
};

/// All segments of all branches, which do not wait for each other.
Task up_and_down(Communicator comm, std::vector<TreeBranch> branches);

}  // namespace ringscope
