// SPDX-License-Identifier: LGPL-2.1-or-later
// A cheap score of placements, for the order in which a search simulates them.
#pragma once

#include <span>
#include <vector>

#include "scenarios/study/place_study.hpp"

namespace ringscope {

/// Sorts placements by the bytes that neighbours of a group send each other, times the levels of
/// the network between them: the fewest first. Without groups, neighbours are those of a ring.
void near_groups_first(const PlaceStudy& study, std::span<const Bin> bins,
                       std::vector<Assignment>& assignments);

}  // namespace ringscope
