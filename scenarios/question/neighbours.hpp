// SPDX-License-Identifier: LGPL-2.1-or-later
// Background jobs of a scenario: those that run beside the foreground job.
#pragma once

#include <span>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Reads `neighbours`, a map of jobs by their names, each placed on what those before it have left;
/// or as `placed` says, one placement for each, where that is not empty. Throws InputError.
std::vector<Neighbour> read_neighbours(Fields& scenario, const Topology& topology,
                                       const Library& library, std::span<const Placement> placed);

/// Places of the background jobs' ranks.
std::vector<Location> places_of(std::span<const Neighbour> neighbours);

}  // namespace ringscope
