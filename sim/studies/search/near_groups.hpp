// SPDX-License-Identifier: LGPL-2.1-or-later
// Scores of placements without a simulation, for the order in which a search simulates them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scenarios/study/place_study.hpp"
#include "sim/studies/evaluator.hpp"
#include "sim/studies/messages/message_times.hpp"

namespace ringscope {

/// Sorts placements by the bytes that neighbours of a group send each other, times the levels of
/// the network between them: the fewest first. Without groups, neighbours are those of a ring.
void near_groups_first(const PlaceStudy& study, std::span<const Bin> bins,
                       std::vector<Assignment>& assignments);

using Ranked = std::pair<MessageTimes, Assignment>;

/// The likely best first; nothing where messages are not known, or when it is stopped.
std::optional<std::vector<Ranked>> ranked(const PlaceStudy& order, const Placements& placements,
                                          std::span<const Assignment> assignments, bool only_routes,
                                          const Evaluator& evaluator);

}  // namespace ringscope
