// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives with a root count ranks from it: the root is 0, the rank above it 1, and so on
// around. In a binomial tree over such numbers a rank's parent is its number without the lowest set
// bit, and whoever descends from it has the numbers that follow its own.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.2. MPICH: bcast_intra_binomial. Open MPI:
// coll_base_topo_build_bmtree, which differs in the order of the children only.
#pragma once

#include <algorithm>
#include <bit>

namespace ringscope {

/// Requires 0 <= rank, root < ranks; so does its inverse.
constexpr int from_root(int rank, int root, int ranks) { return (rank + ranks - root) % ranks; }
constexpr int to_rank(int number, int root, int ranks) { return (number + root) % ranks; }

/// ceil(log2 ranks): the depth of a binomial tree, and the rounds of whatever doubles in each.
/// Requires ranks >= 1.
constexpr int doublings(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

/// Position of one rank in a binomial tree; all numbers count from the root.
class BinomialNode {
 public:
  /// Requires 0 <= self < ranks.
  constexpr BinomialNode(int self, int ranks) : self_(self), ranks_(ranks) {}

  /// Requires that this is not the root.
  constexpr int parent() const { return self_ & (self_ - 1); }
  /// Itself and all that descend from it: as many numbers, from its own on.
  constexpr int family() const {
    return self_ == 0 ? ranks_ : std::min(self_ & -self_, ranks_ - self_);
  }
  constexpr bool is_leaf() const { return family() == 1; }
  /// Number of its children, which are self + 1, self + 2, self + 4, ...
  constexpr int children() const { return doublings(family()); }
  constexpr int child(int i) const { return self_ + (1 << i); }

 private:
  int self_;
  int ranks_;
};

}  // namespace ringscope
