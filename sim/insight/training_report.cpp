// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/training_report.hpp"

#include <algorithm>
#include <map>

#include "algorithms/training/llm.hpp"
#include "algorithms/training/training.hpp"

namespace ringscope::sim {
namespace {

/// Seconds of all steps of all devices, by what ended each part.
struct Parts {
  std::map<std::string_view, double> seconds;
  std::map<int, double> last_at;  ///< by rank: when its last part ended
  int steps = 0;
};

Parts parts_of(const Run& run, double start) {
  Parts parts;
  for (const Observed& one : run.observed) {
    double& last = parts.last_at.try_emplace(one.rank, start).first->second;
    parts.seconds[one.what] += one.at - last;
    last = one.at;
    if (one.what == "step") ++parts.steps;
  }
  return parts;
}

/// Date at which the last device had all variables, and began its first step.
double began_at(const Run& run, double start) {
  double began = start;
  for (const Observed& one : run.observed)
    if (one.what == "started") began = std::max(began, one.at);
  return began;
}

}  // namespace

std::optional<TrainingReport> training_report(const Run& run, double start) {
  const Job& job = run.machine->scenario().job;
  if (job.training == nullptr) return std::nullopt;
  Parts parts = parts_of(run, start);
  const auto mean = [&](std::string_view what) { return parts.seconds[what] / parts.steps; };
  TrainingReport report;
  report.model = job.training->model;
  report.devices = static_cast<int>(parts.last_at.size());
  report.batch = job.training->batch;
  report.replica = job.training->replica;
  report.steps = job.options.steps;
  if (job.training->llm != nullptr) report.memory = job.training->llm->memory;
  const Seconds update = job.options.update * static_cast<double>(job.bytes.count);
  report.one_device_s = (compute_time(job.training->layers) + update).count();
  double end = start;
  for (const auto& [rank, last] : parts.last_at) end = std::max(end, last);
  const double first_step = began_at(run, start);
  if (first_step > start) report.startup_s = first_step - start;
  report.step_s = (end - first_step) / report.steps;
  report.input_s = mean("loaded");
  report.compute_s = mean("computed");
  report.exposed_s = mean("exchanged");
  report.update_s = mean("step");
  const double batches = static_cast<double>(report.devices) / report.replica * report.batch;
  report.epochs = report.steps * batches / static_cast<double>(job.training->records);
  if (report.step_s > 0) {
    report.records_per_s = batches / report.step_s;
    report.efficiency = report.one_device_s / report.step_s;
  }
  return report;
}

std::vector<GroupReport> mean_groups(std::span<const RankReport> ranks) {
  std::vector<GroupReport> means = ranks.front().groups;
  for (GroupReport& mean : means) mean.time_s = mean.partner_s = 0;
  const auto count = static_cast<double>(ranks.size());
  for (const RankReport& rank : ranks)
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i].time_s += rank.groups[i].time_s / count;
      means[i].partner_s += rank.groups[i].partner_s / count;
    }
  return means;
}

std::vector<Observed> worth_reporting(const Run& run) {
  std::vector<Observed> observed = run.observed;
  if (run.machine->scenario().job.training != nullptr)
    std::erase_if(observed, [](const Observed& one) { return one.what != "step"; });
  return observed;
}

}  // namespace ringscope::sim
