// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/place.hpp"

#include "scenarios/study/place_study.hpp"
#include "sim/studies/mapping/mapping.hpp"
#include "sim/studies/search/evaluations.hpp"
#include "sim/studies/search/place_points.hpp"
#include "sim/studies/search/plain_assignments.hpp"

namespace ringscope {
namespace {

constexpr const char* too_early =
    "stopped before one placement was simulated: there is no answer yet; give it more time";
constexpr double stuck = std::numeric_limits<double>::infinity();

/// Where a search begins, the user's placement first; at least one.
std::vector<Assignment> starts_of(const PlaceStudy& study, const Placements& placements,
                                  const std::optional<Assignment>& own) {
  std::vector<Assignment> starts = simple_assignments(placements);
  if (own) {
    starts.insert(starts.begin(), *own);
    if (const auto ordered = best_order(study, placements.bins(), *own)) starts.push_back(*ordered);
  }
  for (Assignment& near : near_assignments(placements, study.scenario.cluster.topology, own))
    starts.push_back(std::move(near));
  const std::vector<Assignment> bases = {starts.front(), starts.back()};
  for (Assignment& mapped : mapped_assignments(study, placements.bins(), bases))
    starts.push_back(std::move(mapped));
  if (!study.moves_freely())
    starts.push_back(far_assignment(placements, study.scenario.cluster.topology));
  if (!study.groups.empty() && study.moves_all()) {
    const Grid& grid = *groups_of(study.scenario.job);
    for (const Grid& other : nestings(grid))
      starts.push_back(renumbered(simple_assignments(placements).front(), other, grid));
  }
  std::erase_if(starts, [&](const Assignment& start) { return !placements.allows(start); });
  if (starts.empty()) starts.push_back(*placements.some());
  return starts;
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
    evaluator.part(drawn_to, 1);
    evaluator.until(1);
    if (evaluator.stopped()) return {};
    const std::vector<Assignment> assignments =
        random_assignments(placements, study.random, study.seed);
    for (const Placed& placed : Costing(study, evaluator).of(placements, assignments))
      costs.emplace_back(placed.cost_s, 1);
    random.count = costs.size();
  }
  if (costs.empty() || study.random == 0) return {};
  random.median_s = median_of(std::move(costs));
  return random;
}

/// Numbers that no placement of a study is faster than.
struct LowerBounds {
  std::optional<double> ring, free_links;
  /// By their messages: of all placements that were not simulated; infinite where all were. None
  /// where the messages of some are not known.
  std::optional<double> unseen = stuck;
};

LowerBounds bounds_of(const PlaceStudy& study, std::span<const Bin> bins, const Assignment& allowed,
                      Evaluator& evaluator) {
  LowerBounds bounds;
  if (study.jobs != WhoseTime::mean) bounds.ring = bound_of_rings(study, bins);
  if (!bounds.ring) bounds.free_links = time_of_free_links(study, bins, allowed, evaluator);
  return bounds;
}

void add_bound(PlaceAnswer& answer, const PlaceStudy& study, const LowerBounds& bounds) {
  const double best = answer.placed.front().cost_s;
  const bool all = !answer.searched && !answer.stopped && best < stuck && answer.only_routes;
  answer.bound_s = all ? best : bounds.ring;
  if (!all && bounds.unseen && study.jobs != WhoseTime::mean)
    answer.bound_s = std::max(answer.bound_s.value_or(0), std::min(best, *bounds.unseen));
  if (answer.bound_s) return;
  answer.free_s = bounds.free_links;
  answer.no_bound =
      study.jobs == WhoseTime::mean ? "none is known of a mean of several jobs"
      : !study.moves_all()
          ? "none is known where some ranks stay"
          : "one is known of up to 20,000 placements with known messages, and of rings";
}

/// True if the scenario's own order of groups is one of those.
bool is_tried(const PlaceStudy& study) {
  return study.orders.empty() || &study.under(study.groups) != &study;
}

/// Shares of the time, where that is limited, at which one order of the groups has to be counted
/// and to be done with: each order has as much.
struct Until {
  double counted, done;
};

constexpr double counting = 0.3;  // of an order's time

Until until_of(std::size_t order, const PlaceStudy& study) {
  const double all = study.random > 0 ? search_to : drawn_to;
  const double each = all / static_cast<double>(study.tried().size());
  const double begin = each * static_cast<double>(order);
  return {begin + counting * each, begin + each};
}

/// An order of the groups that is tried.
struct Tried {
  const PlaceStudy* order;
  Until until;
  std::vector<Assignment> starts;
  std::function<void(bool uncounted)> counted = {};  ///< called when it was counted; may be null
};

/// One placement of each kind: of the user's order of groups all starts of a search, of each other
/// order the first.
void look_at_kinds(const PlaceStudy& study, std::span<const Tried> all,
                   const Placements& placements, Evaluations& evaluations) {
  for (const Tried& tried : all) {
    const std::size_t count = tried.order->groups == study.groups ? tried.starts.size() : 1;
    std::vector<Assignment> kinds;
    for (const Assignment& start : std::span(tried.starts).first(count))
      kinds.push_back(placements.first_alike(start));
    evaluations.at(*tried.order, kinds, tried.order->budget);
  }
}

/// Simulates the likely best until there are `most`, but for those that cannot be better than the
/// best so far. Yields what no other one takes less than; and no one at all, where those that count
/// as equal differ by their routes.
double look_at_likely(const PlaceStudy& order, std::span<const Ranked> all, std::size_t most,
                      bool only_routes, Evaluations& evaluations) {
  constexpr std::size_t at_once = 8;  // a part of the answer, as it depends on the best so far
  double unseen = stuck;
  std::vector<Assignment> next;
  for (const auto& [times, assignment] : all) {
    const double least = times.least_s;
    const bool looks = evaluations.count() + next.size() < most && least < evaluations.best();
    if (looks) next.push_back(assignment);
    if (!looks || !only_routes) unseen = std::min(unseen, least);
    if (next.size() < at_once && &assignment != &all.back().second) continue;
    if (evaluations.at(order, next, most).size() < next.size()) return 0;  // stopped
    next.clear();
  }
  return unseen;
}

/// Simulates all, many of them in the order of their messages. False where the time ended first.
bool look_at_all(const PlaceStudy& order, const Placements& placements,
                 std::vector<Assignment> fresh, std::size_t count, Evaluations& evaluations,
                 const Evaluator& evaluator, bool only_routes, LowerBounds& bounds) {
  constexpr std::size_t many = 256;
  std::optional<std::vector<Ranked>> likely;
  if (fresh.size() > many) likely = ranked(order, placements, fresh, only_routes, evaluator);
  if (likely)
    std::ranges::transform(*likely, fresh.begin(), &Ranked::second);
  else
    near_groups_first(order, placements.bins(), fresh);
  const std::size_t done = evaluations.at(order, fresh, count).size();
  const bool whole = done == fresh.size();
  if (!likely && (!only_routes || !whole)) bounds.unseen.reset();
  if (!likely || !bounds.unseen) return whole;
  for (std::size_t i = only_routes ? done : 0; i < likely->size(); ++i)
    bounds.unseen = std::min(*bounds.unseen, (*likely)[i].first.least_s);
  return whole;
}

/// Looks at all placements that differ under one order of the groups, or searches among them.
void look(std::span<const Tried> all, std::size_t index, const Placements& placements,
          Evaluator& evaluator, Evaluations& evaluations, PlaceAnswer& answer,
          LowerBounds& bounds) {
  const Tried& tried = all[index];
  const PlaceStudy& order = *tried.order;
  const auto stopped = [&evaluator] { return evaluator.stopped(); };
  const std::size_t budget = std::max<std::size_t>(1, order.budget / all.size());
  evaluator.until(tried.until.counted);
  const auto assignments = placements.all(std::max<std::size_t>(budget, 20'000), stopped);
  const bool uncounted = !assignments && stopped();
  evaluator.until(tried.until.done);
  if (tried.counted && !stopped()) tried.counted(uncounted);
  if (assignments) {
    std::vector<Assignment> fresh = evaluations.fresh(order, *assignments);
    answer.least += fresh.size();
    if (assignments->size() <= budget) {
      answer.stopped =
          !look_at_all(order, placements, std::move(fresh), all.size() * assignments->size(),
                       evaluations, evaluator, answer.only_routes, bounds) ||
          answer.stopped;
      return;
    }
    const auto likely = ranked(order, placements, *assignments, answer.only_routes, evaluator);
    if (likely) {
      answer.searched = true;
      // One of each kind counts, too.
      const std::size_t most =
          std::max(budget * (index + 1), evaluations.count() + (budget + 3) / 4);
      const double unseen = look_at_likely(order, *likely, most, answer.only_routes, evaluations);
      if (bounds.unseen) bounds.unseen = std::min(*bounds.unseen, unseen);
      answer.stopped = answer.stopped || stopped();
      return;
    }
  }
  bounds.unseen.reset();
  answer.searched = true;
  answer.uncounted = answer.uncounted || uncounted;
  answer.least = std::max(answer.least, placements.least_number());
  if (!uncounted) answer.least = std::max(answer.least, Count(order.budget) + 1);
  const Annealing annealing = {budget, order.seed, tried.starts, stopped};
  const std::size_t before = evaluations.count();
  anneal(placements, annealing, [&](std::span<const Assignment> fresh) {
    return evaluations.at(order, fresh, order.budget);
  });
  answer.stopped = (evaluations.count() - before < budget && stopped()) || answer.stopped;
}

/// The user's placement, simulated to its end.
struct Own {
  Placed placed;
  double seconds = 0;  ///< that one simulation takes; 0: the store had it
};

Own look_at_own(const PlaceStudy& study, Evaluator& evaluator) {
  evaluator.part(0, search_from);
  evaluator.until(std::numeric_limits<double>::infinity());
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Placed> first =
      Costing(study, evaluator).of(std::vector<Placement>{study.scenario.placement});
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  if (first.empty()) throw std::runtime_error(too_early);
  Own own = {std::move(first.front())};
  if (const auto count = static_cast<double>(evaluator.simulated()); count > 0)
    own.seconds = all.count() * std::min<double>(evaluator.threads(), count) / count;
  return own;
}

/// Share of the time at which orders are searched, less what is still to be spent on counting: as
/// much for each as for the first, as all have the same assignments.
double searched_until(std::span<const Tried> all, bool uncounted) {
  const auto others = static_cast<double>(all.size() - 1);
  return all.back().until.done - (uncounted ? others * all.front().until.counted : 0);
}

}  // namespace

PlaceAnswer place(const PlaceStudy& study, Evaluator& evaluator, const SayPace& say_pace) {
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  const Placements placements = allowed_placements(study, symmetry);
  std::optional<Assignment> own = own_assignment(study, placements.bins());
  if (own && !placements.allows(*own)) own.reset();
  if (own) own = placements.first_alike(*own);

  auto [own_placed, seconds] = look_at_own(study, evaluator);
  if (say_pace && seconds > 0) say_pace(seconds, {});
  PlaceAnswer answer;
  answer.own = std::move(own_placed);
  answer.own.allowed = own.has_value() && is_tried(study);
  answer.own.per_host = counts_of(answer.own.placement);
  if (own && !study.moves_all())
    answer.own.placement.text = placement_of(study, placements.bins(), *own).text;
  answer.raw = placements.raw() * study.tried().size();
  const bool uncounted = answer.raw == 0;  // until all are known
  answer.only_routes = symmetry.only_routes();
  const Forms forms(study, symmetry, placements);
  Evaluations evaluations(forms, placements, evaluator);
  if (own && is_tried(study)) evaluations.add(study, *own, answer.own);
  std::vector<Tried> all;
  for (const PlaceStudy& order : study.tried())
    all.push_back({&order, until_of(all.size(), study), starts_of(order, placements, own)});
  if (say_pace && seconds > 0)
    all.front().counted = [&, each = seconds](bool too_many) {
      say_pace(each, searched_until(all, too_many));
    };
  look_at_kinds(study, all, placements, evaluations);
  answer.least = evaluations.count();
  LowerBounds bounds = bounds_of(study, placements.bins(), all.front().starts.front(), evaluator);
  for (std::size_t index = 0; index < all.size(); ++index)
    look(all, index, placements, evaluator, evaluations, answer, bounds);
  if (evaluations.count() == 0) throw std::runtime_error(too_early);
  if (answer.searched) answer.least = std::max(answer.least, Count(evaluations.count()));
  evaluations.finish(answer, study, own);
  for (std::size_t i = 0; i < answer.placed.size() && uncounted && !answer.searched; ++i)
    answer.raw += answer.placed[i].alike;
  if (evaluator.run().tolerance > 0) bounds.unseen.reset();
  add_bound(answer, study, bounds);
  const double best = answer.placed.front().cost_s;
  if (best > 0 && answer.own.cost_s > best && answer.own.cost_s < stuck &&
      study.objective == Objective::time) {
    evaluator.part(search_to, drawn_to);
    evaluator.until(drawn_to);
    answer.difference = drawn_difference(study, answer.own, answer.placed.front(), evaluator);
  }
  answer.random = random_placements(study, placements, answer, evaluator);
  add_intervals(study, answer);
  return answer;
}

Scenario placed_scenario(const PlaceStudy& study, const Placed& placed) {
  KnownParts known;
  return placed_scenario(study.under(placed.groups), placed.placement, placed.degraded, known);
}

}  // namespace ringscope
