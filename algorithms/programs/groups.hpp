// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of the ranks of a program, by kinds: the groups of one kind share no rank.
#pragma once

#include <string>
#include <vector>

#include "algorithms/steps/grid.hpp"
#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"

namespace ringscope::programs {

struct GroupKind {
  std::string name;
  Table<SharedRanks> groups;
  /// Number of the group of each rank, -1 where it is in none, and its place there.
  Table<int> group_of, place;

  bool has(int rank) const { return group_of[rank] >= 0; }
  /// Requires that the rank is in one.
  const SharedRanks& ranks_with(int rank) const { return groups[group_of[rank]]; }
  int place_of(int rank) const { return place[rank]; }
  int size_with(int rank) const { return static_cast<int>(ranks_with(rank)->size()); }
};

/// Requires groups that share no rank, of ranks below `ranks`.
GroupKind kind_of(std::string name, std::vector<Table<int>> groups, int ranks);

/// The groups of ranks that differ in this dimension alone.
GroupKind kind_of(const Grid& grid, const std::string& dimension);

}  // namespace ringscope::programs
