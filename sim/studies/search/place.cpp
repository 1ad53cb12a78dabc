#include "sim/studies/search/place.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/studies/search/annealing.hpp"
#include "sim/studies/search/place_bound.hpp"
#include "sim/studies/search/place_points.hpp"
#include "sim/studies/search/plain_assignments.hpp"

namespace ringscope {
namespace {

// Shares of the whole, in progress; and of the time, where that is limited.
constexpr double search_from = 0.02, search_to = 0.85;
constexpr const char* too_early =
    "stopped before one placement was simulated: there is no answer yet; give it more time";
constexpr double stuck = std::numeric_limits<double>::infinity();

/// Costs of placements, by one call of the evaluator for many.
class Costing {
 public:
  Costing(const PlaceStudy& study, Evaluator& evaluator) : study_(&study), evaluator_(&evaluator) {}

  /// Results in the order of the placements; of those whose cost is known when it is stopped.
  std::vector<Placed> of(const std::vector<Placement>& placements) {
    const std::vector<PlaceRun> tasks = runs_of(*study_, placements);
    const std::vector<std::optional<Outcome>> outcomes =
        evaluator_->evaluate_some(tasks.size(), [&](std::size_t index, KnownParts& known) {
          const PlaceRun& task = tasks[index];
          return placed_scenario(*study_, placements[task.placement], task.degraded, known);
        });
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!outcomes[i]) {
        placed.resize(std::min(placed.size(), tasks[i].placement));
        break;
      }
      const bool first = tasks[i].placement == placed.size();
      if (first) placed.emplace_back();
      Placed& one = placed.back();
      const Outcome& outcome = *outcomes[i];
      const double cost = outcome.error.empty()
                              ? time_that_counts(*study_, outcome.time_s, outcome.metrics)
                              : stuck;
      if (!first && cost <= one.cost_s) continue;
      one.placement = placements[tasks[i].placement];
      one.outcome = outcome;
      one.cost_s = cost;
      one.degraded = tasks[i].degraded;
    }
    return placed;
  }

 private:
  const PlaceStudy* study_;
  Evaluator* evaluator_;
};

std::vector<Placement> placements_of(const PlaceStudy& study, const Placements& placements,
                                     std::span<const Assignment> assignments) {
  std::vector<Placement> result;
  for (const Assignment& assignment : assignments)
    result.push_back(placement_of(study, placements.bins(), assignment));
  return result;
}

/// Assignments, and what they cost, in the order in which they were looked at.
class Looked {
 public:
  Looked(const PlaceStudy& study, const Placements& placements, Evaluator& evaluator)
      : study_(&study),
        placements_(&placements),
        evaluator_(&evaluator),
        costing_(study, evaluator) {}

  /// Costs of assignments, of `all` that there may be: a part at a time, as many as fit into one
  /// answer.
  std::vector<double> at(std::span<const Assignment> assignments, std::size_t all) {
    std::vector<double> costs;
    while (costs.size() < assignments.size() && !evaluator_->stopped()) {
      const std::size_t count = std::min(at_once(), assignments.size() - costs.size());
      const std::vector<double> some = look(assignments.subspan(costs.size(), count), all);
      costs.insert(costs.end(), some.begin(), some.end());
      if (some.size() < count) break;
    }
    return costs;
  }
  std::size_t count() const { return assignments_.size(); }
  /// One that was looked at before.
  void add(const Assignment& assignment, Placed placed) {
    placed.per_host = counts_of(placed.placement);
    placed.alike = placements_->alike(assignment);
    assignments_.push_back(assignment);
    placed_.push_back(std::move(placed));
  }

  /// The best first, equal costs in the order of their assignments; times that differ in the last
  /// digits alone count as equal.
  void finish(PlaceAnswer& answer, const std::optional<Assignment>& own) {
    std::vector<std::size_t> order(assignments_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return assignments_[a] < assignments_[b]; });
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return rounded(placed_[a].cost_s) < rounded(placed_[b].cost_s);
    });
    for (const std::size_t i : order) {
      if (own && assignments_[i] == *own) answer.same = answer.placed.size();
      answer.placed.push_back(std::move(placed_[i]));
    }
  }

 private:
  static float rounded(double cost) { return static_cast<float>(cost); }
  /// With a cable degraded, each in turn, a placement is many simulations.
  std::size_t at_once() const { return study_->objective == Objective::worst_link ? 64 : SIZE_MAX; }

  std::vector<double> look(std::span<const Assignment> assignments, std::size_t all) {
    const auto share = [all](std::size_t count) {
      return search_from +
             (search_to - search_from) * static_cast<double>(count) / static_cast<double>(all);
    };
    evaluator_->part(share(assignments_.size()), share(assignments_.size() + assignments.size()));
    std::vector<Placed> placed = costing_.of(placements_of(*study_, *placements_, assignments));
    std::vector<double> costs;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      costs.push_back(placed[i].cost_s);
      add(assignments[i], std::move(placed[i]));
    }
    return costs;
  }

  const PlaceStudy* study_;
  const Placements* placements_;
  Evaluator* evaluator_;
  Costing costing_;
  std::vector<Assignment> assignments_;
  std::vector<Placed> placed_;
};

Annealing annealing_of(const PlaceStudy& study, const Placements& placements,
                       const std::optional<Assignment>& own, const Assignment& some) {
  Annealing annealing;
  annealing.budget = study.budget;
  annealing.seed = study.seed;
  std::vector<Assignment> starts = simple_assignments(placements);
  if (own) {
    starts.insert(starts.begin(), *own);
    if (const auto ordered = best_order(study, placements.bins(), *own)) starts.push_back(*ordered);
  }
  for (Assignment& near : near_assignments(placements, study.scenario.cluster.topology, own))
    starts.push_back(std::move(near));
  for (const Assignment& start : starts)
    if (placements.allows(start)) annealing.starts.push_back(start);
  if (annealing.starts.empty()) annealing.starts.push_back(some);
  return annealing;
}

/// The middle one of costs, each of which stands for a number of placements.
double median_of(std::vector<std::pair<double, Count>> costs) {
  std::ranges::sort(costs);
  Count all = 0, before = 0;
  for (const auto& [cost, alike] : costs) all += alike;
  for (const auto& [cost, alike] : costs)
    if ((before += alike) * 2 >= all) return cost;
  return stuck;
}

/// Statistics over all placements, where all were simulated; else over some that are drawn.
std::optional<RandomPlacements> random_placements(const PlaceStudy& study,
                                                  const Placements& placements,
                                                  const PlaceAnswer& answer, Evaluator& evaluator) {
  std::vector<std::pair<double, Count>> costs;
  RandomPlacements random;
  if (!answer.searched && !answer.stopped) {
    for (const Placed& placed : answer.placed) costs.emplace_back(placed.cost_s, placed.alike);
  } else {
    evaluator.part(search_to, 1);
    evaluator.until(1);
    if (evaluator.stopped()) return {};
    const std::vector<Assignment> assignments =
        random_assignments(placements, study.random, study.seed);
    for (const Placed& placed :
         Costing(study, evaluator).of(placements_of(study, placements, assignments)))
      costs.emplace_back(placed.cost_s, 1);
    random.count = costs.size();
  }
  if (costs.empty() || study.random == 0) return {};
  random.median_s = median_of(std::move(costs));
  return random;
}

void add_bound(PlaceAnswer& answer, const PlaceStudy& study, std::span<const Bin> bins) {
  const double best = answer.placed.front().cost_s;
  if (!answer.searched && !answer.stopped && best < stuck)
    answer.bound_s = best;
  else if (study.jobs != WhoseTime::mean)
    answer.bound_s = bound_of_rings(study, bins);
  if (!answer.bound_s)
    answer.no_bound = study.jobs == WhoseTime::mean
                          ? "none is known of a mean of several jobs"
                          : "one is known only of rings of one thread a rank, by one NIC a rank";
}

/// Looks at all placements that differ, or searches among them.
void look(const PlaceStudy& study, const Placements& placements,
          const std::optional<Assignment>& own, Evaluator& evaluator, Looked& looked,
          PlaceAnswer& answer) {
  const auto stopped = [&evaluator] { return evaluator.stopped(); };
  evaluator.until(study.random > 0 ? search_to : 1);
  if (const auto assignments = placements.all(study.budget, stopped)) {
    answer.least = assignments->size();
    answer.stopped = looked.at(*assignments, assignments->size()).size() < assignments->size();
    return;
  }
  answer.searched = true;
  answer.least = std::max(placements.least_number(), Count(study.budget) + 1);
  Annealing annealing = annealing_of(study, placements, own, *placements.some());
  annealing.stopped = stopped;
  anneal(placements, annealing,
         [&](std::span<const Assignment> fresh) { return looked.at(fresh, study.budget); });
  answer.stopped = looked.count() < study.budget && evaluator.stopped();
}

}  // namespace

PlaceAnswer place(const PlaceStudy& study, Evaluator& evaluator) {
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  const Placements placements = allowed_placements(study, symmetry);
  std::optional<Assignment> own = own_assignment(study, placements.bins());
  if (own && !placements.allows(*own)) own.reset();
  if (own) own = placements.first_alike(*own);

  evaluator.part(0, search_from);
  std::vector<Placed> first = Costing(study, evaluator).of({study.scenario.placement});
  if (first.empty()) throw std::runtime_error(too_early);
  PlaceAnswer answer;
  answer.own = std::move(first.front());
  answer.own.allowed = own.has_value();
  answer.own.per_host = counts_of(answer.own.placement);
  answer.raw = placements.raw();
  answer.only_routes = symmetry.only_routes();
  Looked looked(study, placements, evaluator);
  look(study, placements, own, evaluator, looked, answer);
  if (looked.count() == 0 && own) looked.add(*own, answer.own);
  if (looked.count() == 0) throw std::runtime_error(too_early);
  looked.finish(answer, own);
  add_bound(answer, study, placements.bins());
  answer.random = random_placements(study, placements, answer, evaluator);
  return answer;
}

Scenario placed_scenario(const PlaceStudy& study, const Placed& placed) {
  KnownParts known;
  return placed_scenario(study, placed.placement, placed.degraded, known);
}

}  // namespace ringscope
