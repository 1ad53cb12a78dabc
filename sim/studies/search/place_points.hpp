// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs of a study of placements, also as points that shards share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/study/place_study.hpp"
#include "sim/studies/evaluator.hpp"
#include "sim/studies/shard.hpp"
#include "topologies/placement/ring_order.hpp"

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

// Lower bound that no placement of a ring can beat.

/// Seconds that a byte takes from each bin to each other one, with nothing else in flight: the
/// slowest of the links, and of the cores at both ends where these move the bytes.
PairCosts pair_costs(const PlaceStudy& study, std::span<const Bin> bins);

/// Each pair of neighbours of a ring exchanges a known number of bytes, one message after the
/// other, and one pair is no faster than the least bottleneck. None where the job is no ring of one
/// thread, the machine is too large, or ranks send by several NICs.
std::optional<double> bound_of_rings(const PlaceStudy& study, std::span<const Bin> bins);

/// Time of the job with links between hosts that cost nothing. Placements on whole hosts that are
/// equal differ in these links alone, and in the order of the groups, of which the fastest counts.
/// None is faster, unless a faster link slows a run down, which is not excluded. `allowed`: any
/// placement that the rules allow. Nothing where a placement may fill hosts in part, or the
/// evaluator is stopped.
std::optional<double> time_of_free_links(const PlaceStudy& study, std::span<const Bin> bins,
                                         const Assignment& allowed, Evaluator& evaluator);

/// The user's slots in the order of the best ring through them by pair_costs(), where there are few
/// enough.
std::optional<Assignment> best_order(const PlaceStudy& study, std::span<const Bin> bins,
                                     const Assignment& own);

}  // namespace ringscope
