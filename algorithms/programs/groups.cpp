// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/groups.hpp"

#include <utility>

namespace ringscope::programs {

GroupKind kind_of(std::string name, std::vector<std::vector<int>> groups, int ranks) {
  GroupKind kind;
  kind.name = std::move(name);
  kind.group_of.assign(static_cast<std::size_t>(ranks), -1);
  kind.place.assign(static_cast<std::size_t>(ranks), 0);
  for (std::vector<int>& group : groups) {
    const int number = static_cast<int>(kind.groups.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      kind.group_of[static_cast<std::size_t>(group[i])] = number;
      kind.place[static_cast<std::size_t>(group[i])] = static_cast<int>(i);
    }
    kind.groups.push_back(std::make_shared<const std::vector<int>>(std::move(group)));
  }
  return kind;
}

GroupKind kind_of(const Grid& grid, const std::string& dimension) {
  const int size = grid.size(dimension), groups = grid.ranks() / size;
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(groups),
                                      std::vector<int>(static_cast<std::size_t>(size)));
  for (int rank = 0; rank < grid.ranks(); ++rank)
    ranks[static_cast<std::size_t>(grid.colour(rank, dimension))]
         [static_cast<std::size_t>(grid.index(rank, dimension))] = rank;
  return kind_of(dimension, std::move(ranks), grid.ranks());
}

}  // namespace ringscope::programs
