// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks in a grid: for each rank, where it stands along each kind of parallelism.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/verbs/group.hpp"

namespace ringscope {

/// One kind of groups, such as the tensor-parallel ones, and how many ranks each of them has.
struct Dimension {
  std::string name;
  int size = 1;
  bool operator==(const Dimension&) const = default;
};

class Grid {
 public:
  /// Dimensions from the innermost on: neighbouring ranks differ in the first one.
  explicit Grid(std::vector<Dimension> order = {});
  /// A grid by lists: `places[rank][i]` is the rank's index along dimension i. Requires that no two
  /// ranks stand at one place, and that there are as many as places.
  Grid(std::vector<Dimension> dimensions, std::vector<std::vector<int>> places);

  int ranks() const { return ranks_; }
  bool by_order() const { return places_ == nullptr; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// 1 for a dimension that the grid does not have.
  int size(const std::string& name) const;
  /// Ranks of a group of dp that share a layer's experts: neighbours in it. Divides its size.
  int expert_size() const { return expert_size_; }
  void cut_experts(int ranks) { expert_size_ = ranks; }
  /// Index of the rank in its group along that dimension.
  int index(int rank, const std::string& name) const;
  /// Number of the group: equal for the ranks that differ in this dimension alone.
  int colour(int rank, const std::string& name) const;
  /// The same along two dimensions at once, `inner` first.
  int index(int rank, const std::string& inner, const std::string& outer) const {
    return index(rank, outer) * size(inner) + index(rank, inner);
  }
  int colour(int rank, const std::string& inner, const std::string& outer) const;
  /// To split all ranks into these groups.
  Sides sides(const std::string& name) const { return sides(name, name); }
  Sides sides(const std::string& inner, const std::string& outer) const;

 private:
  std::size_t position(const std::string& name) const;
  int place(int rank, std::size_t dimension) const;

  std::vector<Dimension> dimensions_;
  std::shared_ptr<const Table<std::vector<int>>> places_;  ///< null: by the order
  int ranks_ = 1;
  int expert_size_ = 1;
};

}  // namespace ringscope
