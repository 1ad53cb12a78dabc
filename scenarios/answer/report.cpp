// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/report.hpp"

#include <algorithm>

namespace ringscope {

std::string shown_name(const Report& report) {
  return report.deadlock ? report.name + " (deadlock)" : report.name;
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
