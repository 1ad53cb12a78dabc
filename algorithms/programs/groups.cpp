// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/groups.hpp"

namespace ringscope::programs {

GroupKind kind_of(std::string name, std::vector<Table<int>> groups, int ranks) {
  GroupKind kind;
  kind.name = std::move(name);
  kind.group_of.resize(ranks, -1);
  kind.place.resize(ranks);
  for (Table<int>& group : groups) {
    const int number = static_cast<int>(kind.groups.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      kind.group_of[group[i]] = number;
      kind.place[group[i]] = static_cast<int>(i);
    }
    kind.groups.push_back(std::make_shared<const Table<int>>(std::move(group)));
  }
  return kind;
}

GroupKind kind_of(const Grid& grid, const std::string& dimension) {
  const int size = grid.size(dimension), groups = grid.ranks() / size;
  Table<Table<int>> ranks(groups, Table<int>(size));
  for (int rank = 0; rank < grid.ranks(); ++rank)
    ranks[grid.colour(rank, dimension)][grid.index(rank, dimension)] = rank;
  return kind_of(dimension, std::move(ranks), grid.ranks());
}

}  // namespace ringscope::programs
