// SPDX-License-Identifier: LGPL-2.1-or-later
// Order of ranks on a ring, by one number for each two neighbours: the time of what passes from one
// to the next; the ring is no faster than its slowest pair.
#pragma once

#include <optional>
#include <vector>

#include "base/table.hpp"

namespace ringscope {

/// Costs from a place, to a place; not negative, not necessarily alike both ways.
using PairCosts = Table<Table<double>>;

struct RingOrder {
  std::vector<int> order;  ///< each place once; the last one is followed by the first
  double bottleneck = 0;   ///< the largest cost of a place and the next one
};

inline constexpr int most_exact_places = 16;

/// The bottleneck Hamiltonian cycle: of all orders one whose largest cost is the least. Exact, in
/// time n^2 2^n; requires 1 to most_exact_places places.
RingOrder best_ring_order(const PairCosts& costs);

/// No ring of `ranks` ranks has a bottleneck below this, where place i takes up to `room[i]` ranks
/// and costs[i][i] is that of two ranks there: a ring lies in one strongly connected part of the
/// pairs that cost no more than its bottleneck. None where there is no room for all.
std::optional<double> least_bottleneck(const PairCosts& costs, const std::vector<int>& room,
                                       int ranks);

}  // namespace ringscope
