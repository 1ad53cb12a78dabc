#include "sim/studies/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "sim/studies/annealing.hpp"
#include "sim/studies/place_bound.hpp"

namespace ringscope {
namespace {

constexpr double stuck = std::numeric_limits<double>::infinity();

/// The cables that the ranks' messages take, each by the name of one direction: of a ring those
/// between neighbours.
std::vector<std::string> cables_of(const PlaceStudy& study, const Placement& placement) {
  const Topology& topology = study.scenario.cluster.topology;
  const auto& ranks = placement.ranks;
  const auto home = [&](const Location& rank) {
    const Host& host = topology.hosts()[static_cast<std::size_t>(rank.host)];
    return rank.gpu >= 0 ? host.gpus[static_cast<std::size_t>(rank.gpu)]
                         : host.numa_domains[static_cast<std::size_t>(rank.numa)];
  };
  const bool ring = goes_round(study.scenario);
  std::set<int> cables;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = 0; b < ranks.size(); ++b) {
      if (ranks[a].host == ranks[b].host || (ring && b != (a + 1) % ranks.size())) continue;
      for (const Route& leg :
           topology.journey(home(ranks[a]), home(ranks[b]), a * ranks.size() + b).legs)
        for (const int id : leg.links)
          if (topology.is_cable(id)) cables.insert(std::min(id, id ^ 1));
    }
  }
  std::vector<std::string> names;
  for (const int id : cables) names.push_back(topology.link(id).name);
  return names;
}

Scenario scenario_of(const PlaceStudy& study, const Placement& placement,
                     const std::string& degraded, KnownParts& known) {
  const std::string name = study.name + " " + placement.text;
  if (degraded.empty()) {
    Scenario scenario = study.scenario;
    scenario.placement = placement;
    scenario.name = name;
    return scenario;
  }
  Value tree = study.tree;
  lay_over(tree, "cluster.degraded",
           Value::from_text("place",
                            fmt::format("[{{link: '{}', share: {}}}]", degraded, study.degrade)));
  std::vector<Placement> placed = placements_of(study.scenario);
  placed.front() = placement;
  Scenario scenario = read_placed(tree, placed, known);
  scenario.name = fmt::format("{} with {} degraded", name, degraded);
  return scenario;
}

/// Costs of placements, by one call of the evaluator for many.
class Costing {
 public:
  Costing(const PlaceStudy& study, Evaluator& evaluator) : study_(&study), evaluator_(&evaluator) {}

  std::vector<Placed> of(const std::vector<Placement>& placements) {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < placements.size(); ++i) {
      if (study_->objective == Objective::worst_link)
        for (const std::string& cable : cables_of(*study_, placements[i]))
          tasks.push_back({i, cable});
      if (tasks.empty() || tasks.back().placement != i) tasks.push_back({i, ""});
    }
    const std::vector<Outcome> outcomes =
        evaluator_->evaluate(tasks.size(), [&](std::size_t index, KnownParts& known) {
          const Task& task = tasks[index];
          return scenario_of(*study_, placements[task.placement], task.cable, known);
        });
    std::vector<Placed> placed(placements.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Placed& one = placed[tasks[i].placement];
      const Outcome& outcome = outcomes[i];
      const double cost = outcome.error.empty()
                              ? time_that_counts(*study_, outcome.time_s, outcome.metrics)
                              : stuck;
      const bool first = i == 0 || tasks[i - 1].placement != tasks[i].placement;
      if (!first && cost <= one.cost_s) continue;
      one.placement = placements[tasks[i].placement];
      one.outcome = outcomes[i];
      one.cost_s = cost;
      one.degraded = tasks[i].cable;
    }
    return placed;
  }

 private:
  struct Task {
    std::size_t placement = 0;
    std::string cable;
  };
  const PlaceStudy* study_;
  Evaluator* evaluator_;
};

/// Words, and what they cost, in the order in which they were looked at.
class Looked {
 public:
  Looked(const PlaceStudy& study, const Placements& placements, Evaluator& evaluator)
      : study_(&study), placements_(&placements), costing_(study, evaluator) {}

  std::vector<double> at(std::span<const Word> words) {
    std::vector<Placement> placements;
    for (const Word& word : words)
      placements.push_back(placement_of(*study_, placements_->bins(), word));
    std::vector<Placed> placed = costing_.of(placements);
    std::vector<double> costs;
    for (std::size_t i = 0; i < words.size(); ++i) {
      placed[i].per_host = counts_of(placed[i].placement);
      placed[i].alike = placements_->alike(words[i]);
      costs.push_back(placed[i].cost_s);
      words_.push_back(words[i]);
      placed_.push_back(std::move(placed[i]));
    }
    return costs;
  }
  Placed own() { return costing_.of({study_->scenario.placement}).front(); }

  /// The best first. Equal costs are of equal words in the order of words; times that differ in the
  /// last digits alone count as equal.
  void finish(PlaceAnswer& answer, const std::optional<Word>& own) {
    std::vector<std::size_t> order(words_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return words_[a] < words_[b]; });
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return rounded(placed_[a].cost_s) < rounded(placed_[b].cost_s);
    });
    for (const std::size_t i : order) {
      if (own && words_[i] == *own) answer.same = answer.placed.size();
      answer.placed.push_back(std::move(placed_[i]));
    }
  }

 private:
  static float rounded(double cost) { return static_cast<float>(cost); }

  const PlaceStudy* study_;
  const Placements* placements_;
  Costing costing_;
  std::vector<Word> words_;
  std::vector<Placed> placed_;
};

/// Bins one after the other, each filled; and one rank on each in turn.
std::vector<Word> simple_words(const Placements& placements) {
  Word packed, spread;
  const auto bins = placements.bins();
  const PlacementRules& rules = placements.rules();
  std::vector<int> left = rules.slots;
  for (int bin = 0; bin < static_cast<int>(bins.size()); ++bin) {
    int& slots = left[static_cast<std::size_t>(bins[static_cast<std::size_t>(bin)].host)];
    const int fill = std::min({bins[static_cast<std::size_t>(bin)].capacity, slots,
                               rules.ranks - static_cast<int>(packed.size())});
    packed.insert(packed.end(), static_cast<std::size_t>(fill), bin);
    slots -= fill;
  }
  std::vector<int> room;
  for (const Bin& bin : bins) room.push_back(bin.capacity);
  left = rules.slots;
  for (bool more = true; more && static_cast<int>(spread.size()) < rules.ranks;) {
    more = false;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      int& slots = left[static_cast<std::size_t>(bins[bin].host)];
      if (room[bin] == 0 || slots == 0 || static_cast<int>(spread.size()) == rules.ranks) continue;
      spread.push_back(static_cast<int>(bin));
      --room[bin];
      --slots;
      more = true;
    }
  }
  Word sorted = spread;
  std::ranges::sort(sorted);
  return {packed, spread, sorted};
}

Annealing annealing_of(const PlaceStudy& study, const Placements& placements,
                       const std::optional<Word>& own, const Word& some) {
  Annealing annealing{study.budget, study.seed, {}};
  std::vector<Word> starts = simple_words(placements);
  if (own) {
    starts.insert(starts.begin(), *own);
    if (const auto ordered = best_order(study, placements.bins(), *own)) starts.push_back(*ordered);
  }
  for (const Word& start : starts)
    if (placements.allows(start)) annealing.starts.push_back(start);
  if (annealing.starts.empty()) annealing.starts.push_back(some);
  return annealing;
}

}  // namespace

PlaceAnswer place(const PlaceStudy& study, Evaluator& evaluator) {
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  PlacementRules rules = study.rules;
  // A hash that chooses among routes goes by the numbers of the ranks.
  rules.rotations = rules.rotations && symmetry.only_routes();
  const Placements placements(symmetry, rules);
  const std::optional<Word> some = placements.some();
  if (!some)
    study.tree.fail(
        fmt::format("no placement of {} ranks keeps to the rules of 'place'", rules.ranks));
  std::optional<Word> own = own_word(study, placements.bins());
  if (own && !placements.allows(*own)) own.reset();
  if (own) own = placements.first_alike(*own);

  PlaceAnswer answer;
  answer.raw = placements.raw();
  answer.only_routes = symmetry.only_routes();
  Looked looked(study, placements, evaluator);
  if (const auto words = placements.all(study.budget)) {
    answer.least = words->size();
    looked.at(*words);
  } else {
    answer.searched = true;
    answer.least = std::max(placements.least_number(), Count(study.budget) + 1);
    anneal(placements, annealing_of(study, placements, own, *some),
           [&](std::span<const Word> fresh) { return looked.at(fresh); });
    if (study.jobs != WhoseTime::mean) answer.bound_s = bound_of_rings(study, placements.bins());
  }
  answer.own = looked.own();
  looked.finish(answer, own);
  answer.own.allowed = own.has_value();
  answer.own.per_host = counts_of(answer.own.placement);
  return answer;
}

Scenario placed_scenario(const PlaceStudy& study, const Placed& placed) {
  KnownParts known;
  return scenario_of(study, placed.placement, placed.degraded, known);
}

}  // namespace ringscope
