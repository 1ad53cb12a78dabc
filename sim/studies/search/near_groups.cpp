// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/place.hpp"

#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "scenarios/study/place_study.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

/// Bytes from one rank to the next in its groups of one dimension, in one step.
struct Neighbours {
  double bytes = 1;
  Table<int> next;  ///< of each rank
};

/// Allreduces of layers move their activations twice, forward twice and backward twice; other
/// dimensions move gradients twice, and activations or keys once each way.
double bytes_of(const std::string& dimension, const LlmStep& step) {
  const double passes = double(step.all_layers()) / step.grid.size("pp") * step.micro_batches;
  if (dimension == "tp") return 8 * passes * static_cast<double>(step.activation);
  if (dimension == "cp") return 2 * passes * static_cast<double>(step.keys);
  if (dimension == "pp") return 2.0 * step.micro_batches * static_cast<double>(step.activation);
  const auto largest = std::ranges::max_element(step.gradients);
  return largest == step.gradients.end() ? 1 : 2 * static_cast<double>(*largest);
}

std::vector<Neighbours> neighbours_of(const PlaceStudy& study) {
  const Job& job = study.scenario.job;
  const Grid* grid = groups_of(job);
  const int ranks = study.rules.ranks;
  Neighbours ring;
  for (int rank = 0; rank < ranks; ++rank) ring.next.push_back((rank + 1) % ranks);
  if (grid == nullptr) return {ring};
  std::vector<Neighbours> all;
  for (const Dimension& one : grid->dimensions()) {
    if (one.size < 2) continue;
    std::map<std::pair<int, int>, int> at;  // group and index in it: the rank
    for (int rank = 0; rank < ranks; ++rank)
      at[{grid->colour(rank, one.name), grid->index(rank, one.name)}] = rank;
    Neighbours neighbours;
    if (job.training != nullptr && job.training->llm != nullptr)
      neighbours.bytes = bytes_of(one.name, *job.training->llm);
    for (int rank = 0; rank < ranks; ++rank)
      neighbours.next.push_back(
          at.at({grid->colour(rank, one.name), (grid->index(rank, one.name) + 1) % one.size}));
    all.push_back(std::move(neighbours));
  }
  return all;
}

/// Levels of the network between two hosts: 0 on one host, 1 on one switch.
int levels_between(const std::vector<Table<int>>& levels, int a, int b) {
  if (a == b) return 0;
  return 1 + static_cast<int>(std::ranges::count_if(
                 levels, [&](const Table<int>& level) { return level[a] != level[b]; }));
}

}  // namespace

void near_groups_first(const PlaceStudy& study, std::span<const Bin> bins,
                       std::vector<Assignment>& assignments) {
  if (!study.moves_all()) return;
  std::vector<Table<int>> levels;
  for (std::vector<int>& level : neighbourhoods(study.scenario.cluster.topology))
    levels.emplace_back(std::move(level));
  const std::vector<Neighbours> all = neighbours_of(study);
  const Table<int> hosts = each_of(bins, &Bin::host);
  const auto score = [&](const Table<int>& assignment) {
    double sum = 0;
    for (const Neighbours& one : all)
      for (int rank = 0; const int next : one.next)
        sum +=
            one.bytes * levels_between(levels, hosts[assignment[rank++]], hosts[assignment[next]]);
    return sum;
  };
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < assignments.size(); ++i) order.emplace_back(score(assignments[i]), i);
  std::ranges::sort(order);
  std::vector<Assignment> sorted;
  for (const auto& [bytes, i] : order) sorted.push_back(std::move(assignments[i]));
  assignments = std::move(sorted);
}

std::optional<std::vector<Ranked>> ranked(const PlaceStudy& order, const Placements& placements,
                                          std::span<const Assignment> assignments, bool only_routes,
                                          const Evaluator& evaluator) {
  std::vector<Ranked> all;
  KnownParts known;
  for (const Assignment& one : assignments) {
    if (evaluator.stopped()) return {};
    const Placement placement = placement_of(order, placements.bins(), one);
    const auto times = message_times(placed_scenario(order, placement, "", known), only_routes);
    if (!times) return {};
    all.emplace_back(*times, one);
  }
  std::ranges::stable_sort(all, {}, [](const Ranked& one) { return one.first.likely_s; });
  return all;
}

}  // namespace ringscope
