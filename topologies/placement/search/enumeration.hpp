// SPDX-License-Identifier: LGPL-2.1-or-later
// All placements of ranks on a machine, each that differs from the others once.
//
// A placement is an assignment: the bin of each rank. Assignments are alike when a symmetry of the
// machine takes one to the other, or, for algorithms that do not care which rank is the first, a
// rotation of the ranks, or both. Of all that are alike the first one stands for them: assignments
// in their order, bins by their numbers.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/table.hpp"
#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {

using Assignment = Table<int>;  ///< the bin of each rank

/// fixed: the ranks of each host, and of each bin in it, follow each other, as `mpirun` numbers
/// them; hosts and bins stand in any order. packed: the same, and the bins of a host are filled in
/// the order of their numbers. any: any rank sits anywhere.
enum class RankOrder { fixed, packed, any };

struct PlacementRules {
  int ranks = 1;
  Table<int> slots;          ///< of each host: the most ranks that it takes; 0: it is taken
  bool whole_hosts = false;  ///< a host is used with all its slots, or not at all
  RankOrder order = RankOrder::any;
  bool rotations = false;  ///< the ranks in a circle, wherever it begins, are alike
  std::set<int> apart{};   ///< ranks of which no two are on one host; with RankOrder::any
  std::set<int> closed{};  ///< hosts that these keep away from; no symmetry moves them
};

class Placements {
 public:
  /// `symmetry`, whose marks tell hosts with different slots apart, outlives the placements.
  Placements(const Symmetry& symmetry, PlacementRules rules);

  const PlacementRules& rules() const { return rules_; }
  View<const Bin> bins() const { return symmetry_->bins(); }
  bool allows(const Assignment& assignment) const;
  /// Number of placements, each core of a bin counted as one of its own; 0: packed ones, and those
  /// with ranks apart, are not counted but by the sum of alike().
  Count raw() const;
  /// Canonical representative of the assignments equivalent to this one, of those that are allowed.
  Assignment first_alike(const Assignment& assignment) const;
  /// Size of the orbit: the number of raw() that are equivalent to this one.
  Count alike(const Assignment& assignment) const;
  /// The ranks of each host, and of each bin in it, together, in the order of the first ones; of
  /// packed placements in the first bins.
  Assignment grouped(const Assignment& assignment) const;
  /// Canonical representatives, in their order; none when there are more than `limit`, or when it
  /// was `stopped` before it knew.
  std::optional<std::vector<Assignment>> all(
      std::size_t limit, const std::function<bool()>& stopped = [] { return false; }) const;
  /// Lower bound of the number that differ; often there are a good deal more.
  Count least_number() const;
  /// One that is allowed; none where none is.
  std::optional<Assignment> some() const;

 private:
  class Walk;
  const Bin& bin(int index) const { return symmetry_->bins()[index]; }
  bool in_fixed_order(const Assignment& assignment) const;
  bool keeps_apart(const Assignment& assignment) const;
  Assignment packed(const Assignment& assignment) const;
  Assignment moved(const Assignment& assignment) const;
  std::vector<Assignment> rotated(const Assignment& assignment) const;
  bool is_first_alike(const Assignment& assignment) const;

  const Symmetry* symmetry_;
  PlacementRules rules_;
};

/// The bins of an assignment in the order in which ranks come to them.
std::vector<int> touched_by(const Assignment& assignment);

// Number of placements, by generating functions: it is too large to count out.

/// The bins' capacities of one host, and how many ranks it takes.
struct HostRoom {
  std::vector<int> bins;
  int slots = 0;
  bool operator==(const HostRoom&) const = default;
};

/// Ways to give each rank a core of its own, under rules that all hosts share.
Count count_placements(const std::vector<HostRoom>& hosts, const PlacementRules& rules);

}  // namespace ringscope
