// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/evaluations.hpp"

#include <fmt/format.h>

#include "scenarios/study/place_study.hpp"
#include "sim/insight/measurement.hpp"
#include "sim/studies/search/place_points.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_pairs = 12;
constexpr double widest = 1.3;

struct Factors {
  double hop, start, link;
};

void apply(Transport& transport, const Factors& factors) {
  transport.latency = transport.latency.times(factors.hop);
  transport.send_overhead = transport.send_overhead.times(factors.start);
  transport.recv_overhead = transport.recv_overhead.times(factors.start);
  transport.goodput = std::min(1.0, transport.goodput * factors.link);
}

/// Report of the numbers that an interval and its error depend on.
Report report_of(const PlaceStudy& study, const Placed& placed) {
  sim::Measurement measured;
  measured.time_s = placed.cost_s;
  measured.traffic.bytes_between_hosts =
      static_cast<std::uint64_t>(placed.outcome.metrics.at("bytes_between_hosts"));
  return sim::report_of(placed_scenario(study, placed), {measured});
}

float rounded(double cost) { return static_cast<float>(cost); }

/// With one fault, each in turn, a placement is many simulations.
std::size_t at_once(const PlaceStudy& study) {
  return study.objective == Objective::time ? SIZE_MAX : 64;
}

PlacementRules anywhere(PlacementRules rules) {
  rules.order = RankOrder::any;
  rules.rotations = false;
  return rules;
}

}  // namespace

Library drawn(Library library, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // Not std::uniform_real_distribution, whose numbers differ from library to library.
  const auto factor = [&random] {
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    return std::pow(widest, 2 * share - 1);
  };
  const double hop = factor(), start = factor(), link = factor();
  const Factors factors = {hop, start, link};
  for (Transport& transport : library.transports) apply(transport, factors);
  if (!library.blocks) return library;
  library.blocks->launch *= start;
  library.blocks->issue *= start;
  for (ProtocolCosts& costs : library.blocks->protocols) {
    costs.start *= start;
    apply(costs.inside_host, factors);
    apply(costs.between_hosts, factors);
    for (double* carries : {&costs.carries, &costs.carries_over_pcie, &costs.carries_between_hosts})
      *carries = std::min(1.0, *carries * link);
  }
  return library;
}

std::optional<DrawnDifference> drawn_difference(const PlaceStudy& study, const Placed& one,
                                                const Placed& other, Evaluator& evaluator) {
  const auto outcomes =
      evaluator.evaluate_beside(2 * most_pairs, [&](std::size_t index, KnownParts& known) {
        const Placed& placed = index % 2 == 0 ? one : other;
        Scenario scenario =
            placed_scenario(study.under(placed.groups), placed.placement, placed.degraded, known);
        const std::uint64_t seed = study.seed + index / 2;
        scenario.library = drawn(std::move(scenario.library), seed);
        lay_over(scenario.resolved, "draw",
                 Value::scalar_at(scenario.resolved.place(), fmt::format("{} {}", widest, seed)));
        return scenario;
      });
  DrawnDifference difference;
  for (std::size_t i = 0; i + 1 < outcomes.size(); i += 2) {
    if (!outcomes[i] || !outcomes[i + 1]) break;
    const double share = cost_of(study, *outcomes[i]) / cost_of(study, *outcomes[i + 1]) - 1;
    if (!std::isfinite(share)) break;  // a draw that gets stuck, or takes no time
    difference.least = difference.draws == 0 ? share : std::min(difference.least, share);
    difference.most = difference.draws == 0 ? share : std::max(difference.most, share);
    ++difference.draws;
  }
  return difference.draws < 2 ? std::nullopt : std::optional(difference);
}

void add_intervals(const PlaceStudy& study, PlaceAnswer& answer) {
  if (study.objective != Objective::time || study.jobs != WhoseTime::own) return;
  std::vector<Report> reports;
  for (Placed* placed : {&answer.placed.front(), &answer.own}) {
    if (!placed->outcome.error.empty()) return;
    reports.push_back(report_of(study, *placed));
    placed->likely = reports.back().likely;
  }
  answer.open_order = open_order(reports[0], reports[1]);
}

double cost_of(const PlaceStudy& study, const Outcome& outcome) {
  return outcome.error.empty() ? time_that_counts(study, outcome.time_s, outcome.metrics)
                               : std::numeric_limits<double>::infinity();
}

std::vector<Placed> Costing::of(const std::vector<Placement>& placements) const {
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
    const double cost = cost_of(*study_, *outcomes[i]);
    if (!first && cost <= one.cost_s) continue;
    one.placement = placements[tasks[i].placement];
    one.groups = study_->groups;
    one.outcome = *outcomes[i];
    one.cost_s = cost;
    one.degraded = tasks[i].degraded;
  }
  return placed;
}

std::vector<Placed> Costing::of(const Placements& placements,
                                std::span<const Assignment> assignments) const {
  std::vector<Placement> placed;
  for (const Assignment& assignment : assignments)
    placed.push_back(placement_of(*study_, placements.bins(), assignment));
  return of(placed);
}

Forms::Forms(const PlaceStudy& study, const Symmetry& symmetry, const Placements& placements)
    : study_(&study) {
  if (!study.orders.empty()) anywhere_.emplace(symmetry, anywhere(placements.rules()));
}

Assignment Forms::of(const PlaceStudy& order, const Assignment& assignment) const {
  if (!anywhere_) return assignment;
  const Grid& own = *groups_of(study_->scenario.job);
  return anywhere_->first_alike(renumbered(assignment, *groups_of(order.scenario.job), own));
}

std::vector<Assignment> Evaluations::fresh(const PlaceStudy& order,
                                           std::vector<Assignment> assignments) {
  std::erase_if(assignments, [&](const Assignment& assignment) {
    const auto known = by_form_.find(forms_->of(order, assignment));
    if (known == by_form_.end()) return false;
    const bool itself =
        assignments_[known->second] == assignment && placed_[known->second].groups == order.groups;
    if (!itself) placed_[known->second].alike += placements_->alike(assignment);
    return true;
  });
  return assignments;
}

std::vector<double> Evaluations::at(const PlaceStudy& order,
                                    std::span<const Assignment> assignments, std::size_t all) {
  std::vector<double> costs;
  while (costs.size() < assignments.size() && !evaluator_->stopped()) {
    const std::size_t count = std::min(at_once(order), assignments.size() - costs.size());
    const std::vector<double> some = look(order, assignments.subspan(costs.size(), count), all);
    costs.insert(costs.end(), some.begin(), some.end());
    if (some.size() < count) break;
  }
  return costs;
}

void Evaluations::add(const PlaceStudy& order, const Assignment& assignment, Placed placed) {
  placed.per_host = counts_of(placed.placement);
  placed.alike = placements_->alike(assignment);
  by_form_.try_emplace(forms_->of(order, assignment), placed_.size());
  assignments_.push_back(assignment);
  best_ = std::min(best_, placed.cost_s);
  placed_.push_back(std::move(placed));
}

void Evaluations::finish(PlaceAnswer& answer, const PlaceStudy& study,
                         const std::optional<Assignment>& own) {
  const auto mine = own ? by_form_.find(forms_->of(study, *own)) : by_form_.end();
  const auto tried = [&](std::size_t i) {
    return study.orders.empty() ? nullptr : &study.under(placed_[i].groups);
  };
  std::vector<std::size_t> order = numbers_below<std::size_t>(assignments_.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (tried(a) != tried(b)) return tried(a) < tried(b);
    return assignments_[a] < assignments_[b];
  });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return rounded(placed_[a].cost_s) < rounded(placed_[b].cost_s);
  });
  for (const std::size_t i : order) {
    if (mine != by_form_.end() && mine->second == i) answer.same = answer.placed.size();
    answer.placed.push_back(std::move(placed_[i]));
  }
}

std::vector<double> Evaluations::look(const PlaceStudy& order,
                                      std::span<const Assignment> assignments, std::size_t all) {
  const auto share = [all](std::size_t count) {
    return search_from +
           (search_to - search_from) * static_cast<double>(count) / static_cast<double>(all);
  };
  std::vector<Assignment> unknown, forms;
  std::set<Assignment> seen;
  for (const Assignment& one : assignments) {
    forms.push_back(forms_->of(order, one));
    if (!by_form_.contains(forms.back()) && seen.insert(forms.back()).second)
      unknown.push_back(one);
  }
  evaluator_->part(share(count()), share(count() + unknown.size()));
  std::vector<Placed> placed = Costing(order, *evaluator_).of(*placements_, unknown);
  for (std::size_t i = 0; i < placed.size(); ++i) add(order, unknown[i], std::move(placed[i]));
  std::vector<double> costs;
  for (const Assignment& form : forms) {
    const auto found = by_form_.find(form);
    if (found == by_form_.end()) break;  // stopped
    costs.push_back(placed_[found->second].cost_s);
  }
  return costs;
}

}  // namespace ringscope
