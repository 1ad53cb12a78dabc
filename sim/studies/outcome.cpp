// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/outcome.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

struct Metric {
  std::string_view name;
  double (*of)(const Report&);
};

struct TrainingMetric {
  std::string_view name;
  double (*of)(const TrainingReport&);
};

constexpr std::array metrics = {
    Metric{"time_s", [](const Report& r) { return r.time_s; }},
    Metric{"algbw", [](const Report& r) { return r.algbw; }},
    Metric{"busbw", [](const Report& r) { return r.busbw; }},
    Metric{"messages", [](const Report& r) { return static_cast<double>(r.messages); }},
    Metric{"bytes_on_wire", [](const Report& r) { return static_cast<double>(r.bytes_on_wire); }},
    Metric{"bytes_between_hosts",
           [](const Report& r) { return static_cast<double>(r.bytes_between_hosts); }},
};

constexpr std::array training_metrics = {
    TrainingMetric{"one_device_s", [](const TrainingReport& t) { return t.one_device_s; }},
    TrainingMetric{"step_s", [](const TrainingReport& t) { return t.step_s; }},
    TrainingMetric{"forward_backward_s",
                   [](const TrainingReport& t) { return t.forward_backward_s; }},
    TrainingMetric{"busy_s", [](const TrainingReport& t) { return t.busy_s; }},
    TrainingMetric{"exposed_s", [](const TrainingReport& t) { return t.exposed_s; }},
    TrainingMetric{"exposed_tp_s", [](const TrainingReport& t) { return t.exposed.tp; }},
    TrainingMetric{"exposed_cp_s", [](const TrainingReport& t) { return t.exposed.cp; }},
    TrainingMetric{"exposed_ep_s", [](const TrainingReport& t) { return t.exposed.ep; }},
    TrainingMetric{"exposed_pp_s", [](const TrainingReport& t) { return t.exposed.pp; }},
    TrainingMetric{"exposed_dp_s", [](const TrainingReport& t) { return t.exposed.dp; }},
    TrainingMetric{"bubble_s", [](const TrainingReport& t) { return t.bubble_s; }},
    TrainingMetric{"input_s", [](const TrainingReport& t) { return t.input_s; }},
    TrainingMetric{"other_s", [](const TrainingReport& t) { return t.other_s; }},
    TrainingMetric{"records_per_s", [](const TrainingReport& t) { return t.records_per_s; }},
    TrainingMetric{"efficiency", [](const TrainingReport& t) { return t.efficiency; }},
    TrainingMetric{"startup_s", [](const TrainingReport& t) { return t.startup_s.value_or(0); }},
    TrainingMetric{"epochs", [](const TrainingReport& t) { return t.epochs; }},
    TrainingMetric{"epoch_s", [](const TrainingReport& t) { return t.epoch_s; }},
    TrainingMetric{"training_s", [](const TrainingReport& t) { return t.training_s.value_or(0); }},
};

constexpr std::array job_metrics = {
    Metric{"slowest_job_s", slowest_job_s},
    Metric{"mean_job_s", mean_job_s},
};

std::string path_metric(std::string_view cause) { return "critical_path." + std::string(cause); }

/// The cause that most of the critical path went to, and the place where most of that was spent.
std::string limit_of(const Report& report, const CauseSeconds& spent) {
  if (report.path.empty()) return "";
  const auto largest = std::max_element(spent.begin(), spent.end()) - spent.begin();
  // The segments stand longest first.
  const auto most = std::find_if(report.path.begin(), report.path.end(), [&](const PathSegment& p) {
    return p.cause == static_cast<Cause>(largest);
  });
  const bool nearly_all = most->seconds > 0.9 * spent[largest];
  return segment_text(*most, !nearly_all);
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.emplace_back(metric.name);
  for (const Metric& metric : job_metrics) names.emplace_back(metric.name);
  for (const TrainingMetric& metric : training_metrics) names.emplace_back(metric.name);
  for (const std::string_view cause : cause_names) names.push_back(path_metric(cause));
  return names;
}

bool more_is_better(const std::string& metric) {
  constexpr std::array<std::string_view, 5> rates = {"algbw", "busbw", "records_per_s",
                                                     "efficiency", "epochs"};
  return std::find(rates.begin(), rates.end(), metric) != rates.end();
}

Outcome outcome_of(const Report& report) {
  Outcome outcome;
  outcome.time_s = report.time_s;
  for (const Metric& metric : metrics) outcome.metrics.emplace(metric.name, metric.of(report));
  if (!report.neighbours.empty())
    for (const Metric& metric : job_metrics)
      outcome.metrics.emplace(metric.name, metric.of(report));
  for (const NeighbourReport& one : report.neighbours)
    outcome.metrics.emplace(fmt::format("neighbours.{}.time_s", one.name), one.time_s);
  if (report.training)
    for (const TrainingMetric& metric : training_metrics)
      outcome.metrics.emplace(metric.name, metric.of(*report.training));
  CauseSeconds spent{};
  for (const PathSegment& segment : report.path) spent[segment.cause] += segment.seconds;
  for (std::size_t i = 0; i < spent.size(); ++i)
    if (spent[i] > 0) outcome.metrics.emplace(path_metric(cause_names[i]), spent[i]);
  outcome.limit = limit_of(report, spent);
  return outcome;
}

}  // namespace ringscope
