// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/report_parts.hpp"

#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"

namespace ringscope::sim {
namespace {

/// Flags mark.rank's segments after mark.since as waited-for. A segment that began before is cut in
/// two.
void apply(const Paths::Chain::Mark& mark, double start, std::vector<ChainSegment>& segments) {
  const double since = mark.since - start, until = mark.until - start;
  const auto ends_before = [](const ChainSegment& one, double at) { return one.end_s() <= at; };
  auto segment = std::lower_bound(segments.begin(), segments.end(), since, ends_before);
  if (segment == segments.end()) return;
  if (segment->start_s < since && segment->segment.rank == mark.rank && !segment->waited) {
    ChainSegment before = *segment;
    before.segment.seconds = since - before.start_s;
    segment->segment.seconds -= before.segment.seconds;
    segment->start_s = since;
    segment = segments.insert(segment, before) + 1;
  }
  for (; segment != segments.end() && segment->start_s < until; ++segment)
    if (segment->segment.rank == mark.rank && !segment->waited) segment->waited = mark.cause;
}

constexpr std::size_t most_values = 16;  // listed one by one in a report

/// The value below which `share` of the rest lies; of an even number the lower middle is the
/// median. Requires sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Series {
  std::vector<double> values, intervals;
  std::map<int, double> last_at;  ///< by rank
};

Observation summary(std::string_view what, Series& series) {
  std::ranges::sort(series.values);
  std::ranges::sort(series.intervals);
  Observation one;
  one.what = what;
  one.count = series.values.size();
  for (const double value : series.values) one.mean += value / static_cast<double>(one.count);
  one.least = series.values.front();
  one.median = quantile(series.values, 0.5);
  one.p90 = quantile(series.values, 0.9);
  one.most = series.values.back();
  one.median_interval_s = quantile(series.intervals, 0.5);
  one.p90_interval_s = quantile(series.intervals, 0.9);
  std::map<double, std::size_t> counts;
  for (const double value : series.values) ++counts[value];
  if (counts.size() <= most_values) one.values.assign(counts.begin(), counts.end());
  return one;
}

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

/// Exposed time of the groups of that name; null for pipelines, whose waits are apart.
double* exposed_in(ExposedTimes& exposed, std::string_view group) {
  if (group == "tensor") return &exposed.tp;
  if (group == "context") return &exposed.cp;
  if (group == "expert") return &exposed.ep;
  return group == "pipeline" ? nullptr : &exposed.dp;
}

/// Seconds that one device spends in groups, per step, times `weight`.
void add_groups(TrainingReport& report, const RankReport& device, double weight) {
  for (const GroupReport& group : device.groups) {
    if (double* exposed = exposed_in(report.exposed, group.name)) {
      *exposed += weight * group.time_s;
    } else {
      report.exposed.pp += weight * (group.time_s - group.partner_s);
      report.bubble_s += weight * group.partner_s;
    }
  }
}

double sum_of(const ExposedTimes& exposed) {
  return exposed.tp + exposed.cp + exposed.ep + exposed.pp + exposed.dp;
}

/// Fills in the parts of a step. `end`: of the last step of all devices, from the start on.
/// Gradients that no large model exchanges are all exposed that is left: with servers they go in
/// no group.
void add_parts(TrainingReport& report, const Job& job, const Parts& parts, double start, double end,
               double time_s, std::span<const RankReport> ranks) {
  const auto spent = [](const RankReport& rank, RankActivity activity) {
    return rank.seconds[activity];
  };
  const LlmStep* llm = job.training->llm.get();
  const bool pipelined = llm != nullptr && llm->grid.size("pp") > 1;
  std::vector<std::pair<const RankReport*, double>> devices;  // and when the last step ended
  for (const RankReport& rank : ranks)
    if (const auto last = parts.last_at.find(rank.rank); last != parts.last_at.end())
      devices.emplace_back(&rank, last->second - start);
  const double each = 1.0 / static_cast<double>(devices.size()), per_step = each / report.steps;
  for (const auto& [device, last] : devices) {
    report.busy_s += per_step * spent(*device, RankActivity::compute);
    if (llm != nullptr) add_groups(report, *device, each);
    (pipelined ? report.bubble_s : report.other_s) += per_step * (end - last);
    const double late = spent(*device, RankActivity::idle) - (time_s - device->finish_s);
    const double files = device->waited_for[Cause::storage];
    report.other_s += per_step * (late + files);
  }
  const double rest = report.step_s - report.busy_s - report.bubble_s - report.input_s -
                      report.other_s - sum_of(report.exposed);
  // Passes and updates of all GPUs take the time of the slowest one: slow_down().
  if (llm != nullptr && llm->host.sum() > 0) report.host = llm->host;
  if (report.host) report.busy_s -= report.host->sum();
  if (llm != nullptr && llm->slowest != 1) {
    const double passes = report.busy_s;
    report.slowest_s = passes - passes / llm->slowest;
    report.busy_s -= *report.slowest_s;
  }
  constexpr double rounding = 1e-9;
  if (std::abs(rest) > rounding * report.step_s)
    (llm != nullptr ? report.other_s : report.exposed.dp) += rest;
  report.exposed_s = sum_of(report.exposed);
}

}  // namespace

std::vector<ChainSegment> ChainOf::segments(const Paths::Chain& chain) const {
  std::vector<ChainSegment> list;
  double at = chain.begin - start;
  for (const Paths::Segment& segment : chain.segments) {
    const ResourceId resource =
        segment.resource < 0 ? ResourceId() : run.ledger->resource(segment.resource).id;
    list.push_back({{segment.cause, segment.rank, resource, segment.seconds}, at, std::nullopt});
    at += segment.seconds;
  }
  for (const Paths::Chain::Mark& mark : chain.marks) apply(mark, start, list);
  return list;
}

ResourceReport ChainOf::resource(int id) const {
  const Resource& resource = run.ledger->resource(id);
  const double used = run.ledger->carried(id) - used_before[id];
  const double possible = resource.capacity * elapsed;
  return {resource.id, resource.kind, possible > 0 ? used / possible : 0};
}

PathChain ChainOf::chain(const PathCursor& end) const {
  PathChain result;
  const Paths::Chain chain = run.paths->chain(end);
  result.begin_s = chain.begin - start;
  result.segments = segments(chain);
  std::map<int, int> places;  // on the path, by the ledger's id
  for (const Paths::Segment& segment : run.paths->merged(end))
    if (segment.resource >= 0) places[segment.resource] = -1;
  for (auto& [id, place] : places) {
    place = static_cast<int>(result.resources.size());
    result.resources.push_back(resource(id));
  }
  const auto place_of = [&](int id) {
    const auto found = places.find(id);
    return found == places.end() ? -1 : found->second;
  };
  for (MessageSpan message : *run.mpi->received) {
    message.start_s -= start;
    message.end_s -= start;
    message.sender_core = place_of(message.sender_core);
    message.receiver_core = place_of(message.receiver_core);
    result.messages.push_back(message);
  }
  return result;
}

std::vector<Observation> observations_of(std::span<const Observed> observed) {
  std::vector<std::string_view> order;
  std::map<std::string_view, Series> all;
  for (const Observed& one : observed) {
    const auto [place, is_new] = all.try_emplace(one.what);
    if (is_new) order.push_back(one.what);
    Series& series = place->second;
    series.values.push_back(one.value);
    const auto [last, first_time] = series.last_at.try_emplace(one.rank, one.at);
    if (!first_time) series.intervals.push_back(one.at - std::exchange(last->second, one.at));
  }
  return each_of(order, [&](std::string_view what) { return summary(what, all.at(what)); });
}

std::optional<TrainingReport> training_report(const Run& run, double start, double time_s,
                                              std::span<const RankReport> ranks) {
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
  report.forward_backward_s = mean("computed");
  add_parts(report, job, parts, start, end - start, time_s, ranks);
  const double batches = static_cast<double>(report.devices) / report.replica * report.batch;
  report.epochs = report.steps * batches / static_cast<double>(job.training->records);
  if (report.step_s > 0) {
    report.records_per_s = batches / report.step_s;
    report.efficiency = report.one_device_s / report.step_s;
    report.epoch_s = static_cast<double>(job.training->records) / report.records_per_s;
  }
  if (const int all = job.training->epochs; all > 0) {
    report.all_epochs = all;
    report.training_s = report.startup_s.value_or(0) + all * report.epoch_s;
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
    std::erase_if(observed, [](const Observed& one) {
      return one.what != "step" && one.what != "staleness";
    });
  return observed;
}

}  // namespace ringscope::sim
