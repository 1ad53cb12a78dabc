// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/evaluations.hpp"

#include <cmath>
#include <random>

namespace ringscope {
namespace {

// As many as the processors of a large machine can work on at once; the number is part of the
// answer and so does not depend on the machine.
constexpr std::size_t chains = 16;
// Shares of the cost that a step may go up by at the beginning and at the end.
constexpr double hot = 0.05, cold = 0.0005;
constexpr std::size_t rounds_in_vain = 200;
constexpr int most_trials = 64;

/// One walker: where it stands, and its own random numbers.
class Chain {
 public:
  Chain(const Placements& placements, Assignment start, std::uint64_t seed)
      : placements_(&placements), assignment_(std::move(start)), random_(seed) {}

  const Assignment& assignment() const { return assignment_; }
  /// A neighbour that is allowed; itself where none was found.
  Assignment neighbour() {
    for (int trial = 0; trial < most_trials; ++trial) {
      Assignment next = assignment_;
      change(next);
      if (placements_->rules().order != RankOrder::any) next = placements_->grouped(next);
      if (next != assignment_ && placements_->allows(next)) return placements_->first_alike(next);
    }
    return assignment_;
  }
  void consider(const Assignment& next, double cost, double temperature) {
    const double worse = cost - cost_;
    if (worse <= 0 || share() < std::exp(-worse / (temperature * cost_))) {
      assignment_ = next;
      cost_ = cost;
    }
  }
  void stand_at(double cost) { cost_ = cost; }

 private:
  // Not std::uniform_int_distribution, which differs between libraries.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  double share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  int host_of(int bin) const { return placements_->bins()[bin].host; }

  void change(Assignment& assignment) {
    switch (below(placements_->rules().whole_hosts ? 5 : 4)) {
      case 0:
        assignment[below(assignment.size())] = static_cast<int>(below(placements_->bins().size()));
        break;
      case 1:
        std::swap(assignment[below(assignment.size())], assignment[below(assignment.size())]);
        break;
      case 2:
        turn_round(assignment);
        break;
      case 3:
        exchange_hosts(assignment);
        break;
      default:
        exchange_hosts(assignment);
        std::swap(assignment[below(assignment.size())], assignment[below(assignment.size())]);
    }
  }

  /// Reverses a segment of ranks, or moves it elsewhere.
  void turn_round(Assignment& assignment) {
    std::size_t begin = below(assignment.size()), end = below(assignment.size());
    if (begin > end) std::swap(begin, end);
    const auto first = assignment.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = assignment.begin() + static_cast<std::ptrdiff_t>(end) + 1;
    if (below(2) == 0)
      std::reverse(first, last);
    else
      std::rotate(first, first + static_cast<std::ptrdiff_t>(below(end - begin + 1)), last);
  }

  /// Exchanges two hosts: ranks on one go to the bins of the same numbers on the other, and back.
  void exchange_hosts(Assignment& assignment) {
    const auto bins = placements_->bins();
    const int host = host_of(assignment[below(assignment.size())]),
              other = bins[below(bins.size())].host;
    Table<int> here, there;
    for (int bin = 0; bin < static_cast<int>(bins.size()); ++bin) {
      if (host_of(bin) == host) here.push_back(bin);
      if (host_of(bin) == other) there.push_back(bin);
    }
    if (here.size() != there.size()) return;
    for (int& bin : assignment) {
      const auto place = std::ranges::find(here, bin), back = std::ranges::find(there, bin);
      if (place != here.end())
        bin = there[place - here.begin()];
      else if (back != there.end())
        bin = here[back - there.begin()];
    }
  }

  const Placements* placements_;
  Assignment assignment_;
  double cost_ = std::numeric_limits<double>::infinity();
  std::mt19937_64 random_;
};

/// Every assignment is asked for once, in batches.
class Known {
 public:
  Known(const Costs& costs, std::size_t budget) : costs_(&costs), budget_(budget) {}

  /// Costs by assignment; what goes beyond the budget costs infinitely much.
  std::vector<double> of(const std::vector<Assignment>& assignments) {
    std::vector<Assignment> fresh;
    for (const Assignment& assignment : assignments) {
      if (asked_.size() + fresh.size() == budget_) break;
      if (!known_.contains(assignment) && std::ranges::find(fresh, assignment) == fresh.end())
        fresh.push_back(assignment);
    }
    const std::vector<double> answers = fresh.empty() ? std::vector<double>() : (*costs_)(fresh);
    cut_short_ = answers.size() < fresh.size();
    fresh.resize(answers.size());
    for (std::size_t i = 0; i < fresh.size(); ++i) known_[fresh[i]] = answers[i];
    asked_.insert(asked_.end(), fresh.begin(), fresh.end());
    std::vector<double> result;
    for (const Assignment& assignment : assignments) {
      const auto found = known_.find(assignment);
      result.push_back(found == known_.end() ? std::numeric_limits<double>::infinity()
                                             : found->second);
    }
    return result;
  }

  std::size_t asked() const { return asked_.size(); }
  bool used_up() const { return cut_short_ || asked_.size() == budget_; }
  std::vector<Assignment> take() { return std::move(asked_); }

 private:
  const Costs* costs_;
  std::size_t budget_;
  bool cut_short_ = false;
  std::map<Assignment, double> known_;
  std::vector<Assignment> asked_;
};

}  // namespace

std::vector<Assignment> anneal(const Placements& placements, const Annealing& annealing,
                               const Costs& costs) {
  Known known(costs, annealing.budget);
  std::vector<Chain> walkers;
  std::vector<Assignment> assignments;
  for (const Assignment& start : annealing.starts) {
    if (!assignments.empty() && annealing.stopped()) break;
    assignments.push_back(placements.first_alike(start));
  }
  const std::size_t starts = assignments.size();
  for (std::size_t i = starts; i < chains; ++i) assignments.push_back(assignments[i % starts]);
  const std::vector<double> first = known.of(assignments);
  // The best where there are more than chains.
  std::vector<std::size_t> chosen = numbers_below<std::size_t>(first.size());
  if (starts > chains) std::ranges::stable_sort(chosen, {}, [&](auto i) { return first[i]; });
  for (std::size_t i = 0; i < chains; ++i) {
    walkers.emplace_back(placements, assignments[chosen[i]],
                         annealing.seed * 0x9e3779b97f4a7c15u + i);
    walkers.back().stand_at(first[chosen[i]]);
  }
  for (std::size_t in_vain = 0; !known.used_up() && in_vain < rounds_in_vain;) {
    const double spent = static_cast<double>(known.asked()) / static_cast<double>(annealing.budget);
    const double temperature = hot * std::pow(cold / hot, spent);
    assignments.clear();
    for (Chain& walker : walkers) {
      if (annealing.stopped()) return known.take();
      assignments.push_back(walker.neighbour());
    }
    const std::size_t before = known.asked();
    const std::vector<double> answers = known.of(assignments);
    for (std::size_t i = 0; i < chains; ++i)
      if (std::isfinite(answers[i])) walkers[i].consider(assignments[i], answers[i], temperature);
    in_vain = known.asked() == before ? in_vain + 1 : 0;
  }
  return known.take();
}

}  // namespace ringscope
