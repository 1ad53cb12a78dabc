// SPDX-License-Identifier: LGPL-2.1-or-later
// Placements by the bytes that ranks send each other, found without a simulation.
#pragma once

#include <span>
#include <vector>

#include "base/table.hpp"
#include "scenarios/study/place_study.hpp"

namespace ringscope {

/// The ranks on the bins of each of the `bases`, exchanged so that those which send each other many
/// bytes are near in the network: Scotch cuts the graph of ranks, weighted by bytes, into
/// neighbourhoods, hosts and bins, each time with several tolerances. Empty where a job's messages
/// are not known beforehand, or number more than four million.
/// Source: F. Pellegrini, J. Roman, "Scotch: a software package for static mapping by dual
/// recursive bipartitioning of process and architecture graphs", HPCN 1996.
std::vector<Assignment> mapped_assignments(const PlaceStudy& study, View<const Bin> bins,
                                           std::span<const Assignment> bases);

}  // namespace ringscope
