// SPDX-License-Identifier: LGPL-2.1-or-later
// Placements that a search has evaluated, and their costs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/studies/search/place.hpp"
#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

// How sure the difference of two placements is, where nobody knows a profile's numbers exactly.

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

// Evaluated placements.

/// Shares of the whole, in progress, between which a study looks at placements; and of the time,
/// where that is limited.
inline constexpr double search_from = 0.02, search_to = 0.7, drawn_to = 0.9;

/// The objective, of one run; infinite for one that gets stuck.
double cost_of(const PlaceStudy& study, const Outcome& outcome);

/// Costs of placements, by one call of the evaluator for many.
class Costing {
 public:
  Costing(const PlaceStudy& study, Evaluator& evaluator) : study_(&study), evaluator_(&evaluator) {}

  /// Results in the order of the placements; of those whose cost is known when it is stopped.
  std::vector<Placed> of(const std::vector<Placement>& placements) const;
  std::vector<Placed> of(const Placements& placements,
                         std::span<const Assignment> assignments) const;

 private:
  const PlaceStudy* study_;
  Evaluator* evaluator_;
};

/// Tells whether assignments under two orders of a job's groups put the same job on the same bins,
/// up to a symmetry of the machine. Outlived by what it is made of.
class Forms {
 public:
  Forms(const PlaceStudy& study, const Symmetry& symmetry, const Placements& placements);

  /// Equal where they do; `order`: a study of study.tried(), or the study itself.
  Assignment of(const PlaceStudy& order, const Assignment& assignment) const;

 private:
  const PlaceStudy* study_;
  std::optional<Placements> anywhere_;  ///< none where one order is tried
};

/// Assignments and their costs, in the order in which they were evaluated.
class Evaluations {
 public:
  Evaluations(const Forms& forms, const Placements& placements, Evaluator& evaluator)
      : forms_(&forms), placements_(&placements), evaluator_(&evaluator) {}

  /// Assignments like none that was evaluated; the others count for the one that they are like.
  std::vector<Assignment> fresh(const PlaceStudy& order, std::vector<Assignment> assignments);
  /// Costs of assignments, of `all` that there may be: a part at a time, as many as fit into one
  /// answer.
  std::vector<double> at(const PlaceStudy& order, std::span<const Assignment> assignments,
                         std::size_t all);
  std::size_t count() const { return placed_.size(); }
  /// The least cost of all.
  double best() const { return best_; }
  /// Adds one whose cost is known.
  void add(const PlaceStudy& order, const Assignment& assignment, Placed placed);

  /// The best first, equal costs in the order in which orders were tried, and of their assignments;
  /// times that differ in the last digits alone count as equal.
  void finish(PlaceAnswer& answer, const PlaceStudy& study, const std::optional<Assignment>& own);

 private:
  std::vector<double> look(const PlaceStudy& order, std::span<const Assignment> assignments,
                           std::size_t all);

  const Forms* forms_;
  const Placements* placements_;
  Evaluator* evaluator_;
  std::vector<Assignment> assignments_;
  std::vector<Placed> placed_;
  double best_ = std::numeric_limits<double>::infinity();
  std::map<Assignment, std::size_t> by_form_;
};

// A search among placements: simulated annealing over swaps and moves.

struct Annealing {
  std::size_t budget = 0;  ///< placements to look at
  std::uint64_t seed = 1;
  std::vector<Assignment> starts;  ///< at least one; allowed. The best 16 are gone on from
  /// Asked between any two assignments: the search ends with what it has.
  std::function<bool()> stopped = [] { return false; };
};

/// Costs of assignments that were not asked for before, each its own first_alike(), in their
/// order. Fewer than there are assignments: the search ends with those.
using Costs = std::function<std::vector<double>(std::span<const Assignment>)>;

/// All assignments whose costs it was told, in that order: at most the budget, and fewer where it
/// came to no more. What it asks for depends on the seed and on costs alone, unless it is stopped.
/// Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220,
/// 1983.
std::vector<Assignment> anneal(const Placements& placements, const Annealing& annealing,
                               const Costs& costs);

}  // namespace ringscope
