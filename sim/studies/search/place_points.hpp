// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs of a study of placements, also as points that shards share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/study/place_study.hpp"
#include "sim/studies/shard.hpp"

namespace ringscope {

/// One run of a placement: with a fault, or with none.
struct PlaceRun {
  std::size_t placement = 0;
  std::string degraded;  ///< the cable, by one direction's name, or the slow host; "": none
};

/// By the study's objective; at least one run of each placement, in their order.
std::vector<PlaceRun> runs_of(const PlaceStudy& study, std::span<const Placement> placements);

/// The study's scenario placed like this.
Scenario placed_scenario(const PlaceStudy& study, const Placement& placement,
                         const std::string& degraded, KnownParts& known);

/// Placements that the study's rules leave; the symmetry outlives them. Throws InputError
/// where there is none.
Placements allowed_placements(const PlaceStudy& study, const Symmetry& symmetry);

/// All runs of a study that looks at all placements, the user's own first; the study outlives them.
/// Throws InputError where it would search: each step of a search is taken from the one before.
Points place_points(const PlaceStudy& study);

}  // namespace ringscope
