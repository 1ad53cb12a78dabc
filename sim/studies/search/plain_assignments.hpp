// SPDX-License-Identifier: LGPL-2.1-or-later
// Placements that nobody looked for: by rule, and by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

/// Bins one after the other, each filled; and one rank on each in turn. Not all may be allowed.
std::vector<Assignment> simple_assignments(const Placements& placements);

/// Ranks on hosts that are near to each other in the network, neighbours together, host after host;
/// and those hosts that `own` uses, with as many ranks each, in such an order.
std::vector<Assignment> near_assignments(const Placements& placements, const Topology& topology,
                                         const std::optional<Assignment>& own);

/// One rank after the other on the host farthest from the hosts before it, as neighbourhoods go:
/// of four racks one on each, then the second of each. Empty where one finds no slot.
Assignment far_assignment(const Placements& placements, const Topology& topology);

/// Each rank on any slot that is free, slot after slot, within the rules; what is drawn depends on
/// the seed alone, and the first ones not on the count. Fewer where the rules leave so little room
/// that none is found by chance.
std::vector<Assignment> random_assignments(const Placements& placements, std::size_t count,
                                           std::uint64_t seed);

}  // namespace ringscope
