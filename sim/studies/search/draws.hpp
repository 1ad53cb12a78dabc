// SPDX-License-Identifier: LGPL-2.1-or-later
// How sure the difference of two placements is, where nobody knows a profile's numbers exactly.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/studies/search/place.hpp"

namespace ringscope {

/// The library with three numbers drawn: factors of its hops (latencies), of its starts (overheads,
/// launches) and of what links carry, each from 1/1.3 to 1.3, as likely below as above 1. No link
/// carries more than its bandwidth.
Library drawn(Library library, std::uint64_t seed);

/// Simulates both under the same draws, in the evaluator's time: the least and the largest share by
/// which the first takes longer. Nothing where fewer than two were drawn in time.
std::optional<DrawnDifference> drawn_difference(const PlaceStudy& study, const Placed& one,
                                                const Placed& other, Evaluator& evaluator);

/// Sets `likely` of the best and the user's placement, and `open_order`.
void add_intervals(const PlaceStudy& study, PlaceAnswer& answer);

}  // namespace ringscope
