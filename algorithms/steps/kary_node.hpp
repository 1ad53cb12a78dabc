// SPDX-License-Identifier: LGPL-2.1-or-later
// A tree in which every rank but the last ones has `degree` children: rank r has r*degree + 1 and
// those that follow. Rank 0 is the root.
//
// Source: MPICH: MPIR_Treealgo_tree_create, type kary. Open MPI: coll_base_topo_build_tree.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringscope {

/// Position of one rank in such a tree.
struct KaryNode {
  int self = 0, ranks = 1, degree = 1;

  /// Requires that this is not the root.
  constexpr int parent() const { return (self - 1) / degree; }
  constexpr int children() const {
    const std::int64_t first = std::int64_t{self} * degree + 1;
    return static_cast<int>(std::clamp<std::int64_t>(ranks - first, 0, degree));
  }
  /// Requires 0 <= i < children().
  constexpr int child(int i) const { return self * degree + 1 + i; }
};

}  // namespace ringscope
