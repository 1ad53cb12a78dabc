// SPDX-License-Identifier: LGPL-2.1-or-later
// The ranks of all jobs of a scenario, numbered one job after the other.
#pragma once

#include <optional>
#include <string>

#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope::sim {

/// First the ranks of the foreground job, then those of the background jobs.
class Jobs {
 public:
  explicit Jobs(const Scenario& scenario);  ///< outlives this
  Jobs& operator=(Jobs&&) = delete;         ///< neither copied nor moved

  /// The scenario, in whose placement the ranks of all jobs stand.
  const Scenario& whole() const { return whole_ ? *whole_ : *scenario_; }
  /// Number of ranks of the foreground job.
  int own() const { return first_.front(); }
  /// The number of the first rank of a background job.
  int first(int neighbour) const { return first_[neighbour]; }
  /// 0 for the foreground job, then the background jobs.
  int index(int rank) const;
  const Job& job(int rank) const;
  /// The rank as its own job numbers it.
  int number(int rank) const;
  /// "rank 3"; of a background job "rank 1 of training".
  std::string text(int rank) const;
  /// A resource that this rank alone has.
  ResourceId owned(const std::string& place, int rank) const;

 private:
  const Scenario* scenario_;
  std::optional<Scenario> whole_;  ///< only where there are background jobs
  Table<int> first_;               ///< of each background job, and the number of all ranks
};

}  // namespace ringscope::sim
