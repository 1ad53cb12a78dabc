// The ranks of all jobs of a scenario, numbered one job after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"

namespace ringscope::sim {

/// First the ranks of the job that is asked about, then those of its neighbours.
class Jobs {
 public:
  explicit Jobs(const Scenario& scenario);  ///< which outlives this
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// The scenario, in whose placement the ranks of all jobs stand.
  const Scenario& whole() const { return whole_ ? *whole_ : *scenario_; }
  /// How many ranks the job has that is asked about.
  int own() const { return first_.front(); }
  /// The number of the first rank of a neighbour.
  int first(std::size_t neighbour) const { return first_[neighbour]; }
  /// 0 for the job that is asked about, then its neighbours.
  int index(int rank) const;
  const Job& job(int rank) const;
  /// "rank 3"; of a neighbour "rank 1 of training".
  std::string text(int rank) const;

 private:
  const Scenario* scenario_;
  std::optional<Scenario> whole_;  ///< only where there are neighbours
  std::vector<int> first_;         ///< of each neighbour, and the number of all ranks
};

}  // namespace ringscope::sim
