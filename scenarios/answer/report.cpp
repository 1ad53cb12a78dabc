// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/report.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {
namespace {

/// Content of the resolved scenario at that path of keys; "" where there is none.
std::string content_at(const Report& report, std::initializer_list<std::string_view> path) {
  const Value* found = &report.resolved;
  for (const std::string_view key : path)
    if (found->kind() != Value::Kind::map || (found = found->find(key)) == nullptr) return "";
  return canonical(*found);
}

/// A selector names its choice; of other algorithms the options say which protocol and channels.
std::string kernel_of(const Report& report) {
  return report.collective + " " + report.algorithm + " " +
         (report.chosen.empty() ? content_at(report, {"job", "options"}) : report.chosen);
}

/// A changed part, "rack3*", is the same machine under an assumption.
std::string_view unchanged(std::string_view name) { return name.substr(0, name.find('*')); }

}  // namespace

std::string shown_name(const Report& report) {
  return report.deadlock ? report.name + " (deadlock)" : report.name;
}

std::string_view phase_of(const Report& report, const Span& span) {
  return span.phase < 0 ? std::string_view() : report.phases.begin()[span.phase].name;
}

std::optional<TimeRange> likely_range(const Library& library, bool fit_knows_job, int hosts,
                                      Bytes bytes, double time_s) {
  const auto& seen = library.fitted;
  if (fit_knows_job && seen && seen->errors && (hosts > 1) == (seen->hosts > 1) &&
      seen->holds(bytes))
    return TimeRange{time_s * seen->errors->low, time_s * seen->errors->high};
  const SpreadBand* band = library.spread.band(hosts > 1, bytes.count);
  if (band == nullptr) return std::nullopt;
  const double wider = std::sqrt(1 + std::log2(std::max(1.0, 1.0 * hosts / library.spread.hosts)));
  return TimeRange{time_s * std::pow(band->low, wider), time_s * std::pow(band->high, wider)};
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

std::string open_order(const Report& one, const Report& other) {
  if (!one.likely && !other.likely) return "";
  const TimeRange range = one.likely.value_or(TimeRange{one.time_s, one.time_s}),
                  that = other.likely.value_or(TimeRange{other.time_s, other.time_s});
  if (range.high_s < that.low_s || that.high_s < range.low_s) return "";
  if (unchanged(one.cluster) != unchanged(other.cluster)) return "machine";
  if ((one.bytes_between_hosts > 0) != (other.bytes_between_hosts > 0)) return "network";
  if (unchanged(one.library) != unchanged(other.library)) return "library";
  return kernel_of(one) == kernel_of(other) ? "" : "algorithm, protocol or channels";
}

}  // namespace ringscope
