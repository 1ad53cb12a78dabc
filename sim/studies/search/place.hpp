// SPDX-License-Identifier: LGPL-2.1-or-later
// Search for the best of all placements.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/study/place_study.hpp"
#include "sim/studies/evaluator.hpp"
#include "sim/studies/messages/message_times.hpp"

namespace ringscope {

/// A placement and what it costs.
struct Placed {
  Placement placement;
  std::string per_host;  ///< "4-3-1"
  Count alike = 1;       ///< placements that it stands for
  Outcome outcome;       ///< of the run that counts
  double cost_s = 0;     ///< the objective; infinite for a run that gets stuck
  std::string degraded;  ///< the fault that costs most, a cable or a host; "" without one
  bool allowed = true;   ///< by the study's rules
  std::string groups{};  ///< order of the job's groups, which numbers its ranks; "": it has none
  /// Set for the best and the user's, where the objective is the job's own time without a fault.
  std::optional<TimeRange> likely{};
};

/// Results of ranks that are put anywhere: the baseline that a placement is to beat.
struct RandomPlacements {
  std::size_t count = 0;  ///< number drawn; 0: all were simulated
  double median_s = 0;    ///< of the objective; infinite where half of them get stuck
};

/// Share by which the user's placement takes longer than the best, where numbers of the profile are
/// drawn.
struct DrawnDifference {
  int draws = 0;
  double least = 0, most = 0;
};

struct PlaceAnswer {
  Count raw;                        ///< placements, each core by itself
  Count least;                      ///< lower bound of the number that differ
  bool searched = false;            ///< not all that differ were simulated
  bool uncounted = false;           ///< the time was over before it knew how many differ
  bool stopped = false;             ///< before it had looked at its budget, or at all
  bool only_routes = true;          ///< else placements count as equal whatever the hash picks
  std::vector<Placed> placed;       ///< the best first; equal ones by their assignments
  Placed own;                       ///< the user's
  std::optional<std::size_t> same;  ///< the place of the user's, or one like it, in `placed`
  std::optional<double> bound_s;    ///< no placement takes less
  std::string no_bound;             ///< why there is none; "" where there is one
  std::optional<double> free_s;     ///< time_of_free_links(), where there is no bound
  std::optional<RandomPlacements> random;
  std::optional<DrawnDifference> difference;  ///< drawn_difference() of the user's to the best
  std::string open_order;                     ///< of the user's to the best, open_order()
};

/// Called with the seconds of one simulation after the first, unless the store has it; and again
/// when placements are counted, with the share of the time that is over when the search ends.
using SayPace = std::function<void(double seconds, std::optional<double> search_ends)>;

/// Simulates the user's placement first and then one of each kind, all to their ends. The search
/// has the rest of the evaluator's time. If the evaluator is stopped, the answer holds what was
/// simulated by then, at least one placement. Throws InputError if the rules allow no placement.
PlaceAnswer place(const PlaceStudy& study, Evaluator& evaluator, const SayPace& say_pace = {});

/// The study's scenario placed like this, under the study's objective: with that fault.
Scenario placed_scenario(const PlaceStudy& study, const Placed& placed);

// Scores of placements without a simulation, for the order in which a search simulates them.

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
