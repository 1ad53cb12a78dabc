// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/steps/grid.hpp"

#include <cassert>

namespace ringscope {

Grid::Grid(std::vector<Dimension> order) : dimensions_(std::move(order)) {
  for (const Dimension& one : dimensions_) ranks_ *= one.size;
}

Grid::Grid(std::vector<Dimension> dimensions, std::vector<std::vector<int>> places)
    : Grid(std::move(dimensions)) {
  places_ = std::make_shared<const Table<std::vector<int>>>(std::move(places));
  assert(std::ssize(*places_) == ranks_ && "each place of the grid has a rank");
}

std::size_t Grid::position(const std::string& name) const {
  std::size_t position = 0;
  while (position < dimensions_.size() && dimensions_[position].name != name) ++position;
  return position;
}

int Grid::size(const std::string& name) const {
  const std::size_t position = this->position(name);
  return position < dimensions_.size() ? dimensions_[position].size : 1;
}

int Grid::place(int rank, std::size_t dimension) const {
  if (places_ != nullptr) return (*places_)[rank][dimension];
  for (std::size_t inner = 0; inner < dimension; ++inner) rank /= dimensions_[inner].size;
  return rank % dimensions_[dimension].size;
}

int Grid::index(int rank, const std::string& name) const {
  const std::size_t position = this->position(name);
  return position < dimensions_.size() ? place(rank, position) : 0;
}

int Grid::colour(int rank, const std::string& name) const { return colour(rank, name, name); }

int Grid::colour(int rank, const std::string& inner, const std::string& outer) const {
  int colour = 0;
  for (std::size_t i = dimensions_.size(); i-- > 0;)
    if (const Dimension& one = dimensions_[i]; one.name != inner && one.name != outer)
      colour = colour * one.size + place(rank, i);
  return colour;
}

Sides Grid::sides(const std::string& inner, const std::string& outer) const {
  return [grid = *this, inner, outer](int rank) -> Side {
    const int key = inner == outer ? grid.index(rank, inner) : grid.index(rank, inner, outer);
    return {grid.colour(rank, inner, outer), key};
  };
}

}  // namespace ringscope
