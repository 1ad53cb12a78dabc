// Placements that nobody looked for: by rule, and by chance.
#pragma once

#include <cstdint>
#include <vector>

#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

/// Bins one after the other, each filled; and one rank on each in turn. Not all may be allowed.
std::vector<Assignment> simple_assignments(const Placements& placements);

/// Each rank on any slot that is free, slot after slot, within the rules; what is drawn depends on
/// the seed alone, and the first ones not on the count. Fewer where the rules leave so little room
/// that none is found by chance.
std::vector<Assignment> random_assignments(const Placements& placements, std::size_t count,
                                           std::uint64_t seed);

}  // namespace ringscope
