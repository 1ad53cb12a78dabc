// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/jobs.hpp"

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope::sim {

Jobs::Jobs(const Scenario& scenario) : scenario_(&scenario) {
  first_.push_back(static_cast<int>(scenario.placement.ranks.size()));
  for (const Neighbour& one : scenario.neighbours)
    first_.push_back(first_.back() + static_cast<int>(one.placement.ranks.size()));
  if (scenario.neighbours.empty()) return;
  whole_ = scenario;
  const std::vector<Location> others = places_of(scenario.neighbours);
  auto& ranks = whole_->placement.ranks;
  ranks.insert(ranks.end(), others.begin(), others.end());
}

int Jobs::index(int rank) const {
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), rank) - first_.begin());
}

const Job& Jobs::job(int rank) const {
  const int job = index(rank);
  return job == 0 ? scenario_->job : scenario_->neighbours.begin()[job - 1].job;
}

int Jobs::number(int rank) const {
  const int job = index(rank);
  return job == 0 ? rank : rank - first(job - 1);
}

std::string Jobs::text(int rank) const {
  const ResourceId own = owned("", rank);
  return own.job.empty() ? fmt::format("rank {}", rank)
                         : fmt::format("rank {} of {}", own.rank, own.job);
}

ResourceId Jobs::owned(const std::string& place, int rank) const {
  const int job = index(rank);
  if (job == 0) return {place, rank};
  return {place, number(rank), scenario_->neighbours.begin()[job - 1].name};
}

}  // namespace ringscope::sim
