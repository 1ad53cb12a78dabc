// SPDX-License-Identifier: LGPL-2.1-or-later
// A search among placements: simulated annealing over swaps and moves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

struct Annealing {
  std::size_t budget = 0;  ///< placements to look at
  std::uint64_t seed = 1;
  std::vector<Assignment> starts;  ///< at least one; allowed. The best 16 are gone on from
  /// Asked between any two assignments: the search ends with what it has.
  std::function<bool()> stopped = [] { return false; };
};

/// Costs of assignments that were not asked for before, each its own first_alike(), in their
/// order. Fewer than there are assignments: the search ends with those.
using Costs = std::function<std::vector<double>(std::span<const Assignment>)>;

/// All assignments whose costs it was told, in that order: at most the budget, and fewer where it
/// came to no more. What it asks for depends on the seed and on costs alone, unless it is stopped.
/// Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220,
/// 1983.
std::vector<Assignment> anneal(const Placements& placements, const Annealing& annealing,
                               const Costs& costs);

}  // namespace ringscope
