// SPDX-License-Identifier: LGPL-2.1-or-later
// Outcome of a simulation, as a study keeps it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Result of one simulation, small enough to keep by the million.
struct Outcome {
  double time_s = 0;
  /// Bottleneck, as `compare` says it: "copying on host2/numa0/core0 (rank 7)"; "" where the
  /// critical path was not kept.
  std::string limit;
  /// Values by metric_names(): training's only of a training job, those of several jobs only where
  /// there are background jobs; and of each of these "neighbours.NAME.time_s".
  std::map<std::string, double> metrics;
  std::string error;  ///< "" or why there is none: a deadlock is a result

  bool operator==(const Outcome&) const = default;
};

/// Names of an outcome's metrics, as in scenarios/schema.md: "time_s", "busbw", "records_per_s",
/// "critical_path.copy", ...
std::vector<std::string> metric_names();

/// True if more of it is better: a bandwidth, a rate; of times and bytes less is.
bool more_is_better(const std::string& metric);

Outcome outcome_of(const Report& report);

}  // namespace ringscope
