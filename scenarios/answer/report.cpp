// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/report.hpp"

#include <algorithm>

#include "scenarios/warnings/job_warnings.hpp"

namespace ringscope {

std::string shown_name(const Report& report) {
  return report.deadlock ? report.name + " (deadlock)" : report.name;
}

std::optional<TimeRange> likely_range(const Scenario& scenario, bool between_hosts, Bytes bytes,
                                      double time_s) {
  const Library& library = scenario.library;
  const auto& seen = library.fitted;
  const SpreadBand* band = library.spread.band(between_hosts, bytes.count);
  if (seen && seen->errors && between_hosts == (seen->hosts > 1) &&
      beyond_fit(scenario, bytes).empty())
    band = &*seen->errors;
  if (band == nullptr) return std::nullopt;
  return TimeRange{time_s * band->low, time_s * band->high};
}

double slowest_job_s(const Report& report) {
  double slowest = report.time_s;
  for (const NeighbourReport& one : report.neighbours) slowest = std::max(slowest, one.time_s);
  return slowest;
}

double mean_job_s(const Report& report) {
  double sum = report.time_s;
  for (const NeighbourReport& one : report.neighbours) sum += one.time_s;
  return sum / static_cast<double>(report.neighbours.size() + 1);
}

}  // namespace ringscope
