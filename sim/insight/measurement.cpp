// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/measurement.hpp"

#include "algorithms/collectives.hpp"
#include "algorithms/programs/program.hpp"
#include "nccl/choice/choice.hpp"
#include "scenarios/question/scenario.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/insight/report_parts.hpp"

namespace ringscope::sim {
namespace {

RankReport rank_report(const Run& run, RankThread& rank, double start) {
  rank.settle_idle();
  RankReport report;
  report.rank = rank.rank();
  report.host = run.machine->host_name(rank.rank());
  report.numa = run.machine->scenario().placement.ranks[rank.rank()].numa;
  report.finish_s = rank.finish_time() - start;
  report.seconds = rank.seconds();
  report.waited_for = rank.waited_for();
  const Job& job = run.machine->scenario().job;
  const double steps = job.training != nullptr ? job.options.steps : 1;
  const auto& names = run.groups.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const CallTime time = rank.in_groups().of(i);
    if (!names[i].empty())
      report.groups.push_back({std::string(names[i]), time.all / steps, time.partner / steps});
  }
  return report;
}

std::vector<ResourceReport> busiest_resources(const Run& run, double elapsed,
                                              const Table<double>& used_before) {
  std::vector<ResourceReport> all;
  const ChannelFold& fold = run.machine->channel_fold();
  for (int id = 0; id < run.ledger->resource_count(); ++id) {
    if (fold.is_several(id)) continue;
    const Resource& resource = run.ledger->resource(id);
    const int busy = fold.as_busy_as(id);
    const double used = run.ledger->carried(busy) - used_before[busy];
    if (used > 0 && elapsed > 0)
      all.push_back(
          {resource.id, resource.kind, used / (run.ledger->resource(busy).capacity * elapsed)});
  }
  // Sums of equal parts differ in their last digits, by the order in which they were added.
  constexpr double digits = 1e9;
  std::ranges::stable_sort(all, std::ranges::greater(), [](const ResourceReport& one) {
    return std::round(one.utilisation * digits);
  });
  const auto most = static_cast<std::ptrdiff_t>(std::min(busiest, all.size()));
  std::vector<ResourceReport> listed(all.begin(), all.begin() + most);
  add_busiest_links(listed, all);
  return listed;
}

std::vector<PathSegment> path_segments(const Run& run, PathCursor end) {
  return each_of(run.paths->merged(end), [&](const Paths::Segment& segment) {
    return PathSegment{
        segment.cause, segment.rank,
        segment.resource < 0 ? ResourceId() : run.ledger->resource(segment.resource).id,
        segment.seconds};
  });
}

std::string chosen_by(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (job.algorithm->chosen == nullptr) return "";
  const PlacedOptions options(job, scenario.placement);
  const std::string name(job.algorithm->chosen(options.ranks(), job.bytes.count, *options));
  if (job.options.given.nccl == nullptr) return name;
  const std::string details =
      nccl_choice_text(job.algorithm->collective, options.ranks(), job.bytes.count, *options);
  return details.empty() ? name : name + ", " + details;
}

/// True of a link from one host to another, or to a switch of the network.
bool leaves_host(const std::string& link) {
  const std::size_t arrow = link.find("->");
  if (arrow == std::string::npos) return false;
  const auto host = [](const std::string& end) { return end.substr(0, end.find('/')); };
  return host(link.substr(0, arrow)) != host(link.substr(arrow + 2));
}

/// Spans of this job alone, stream after stream of each rank, with times from `start` on. They are
/// many: each is copied once.
std::vector<Span> own_spans(const Run& run, double start) {
  const int ranks = run.machine->jobs().own();
  Table<std::size_t> ends(ranks + 1);
  for (const Span& span : *run.spans)
    if (span.rank < ranks) ++ends[span.rank + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Span> spans(ends.back());
  for (const Span& span : *run.spans) {
    if (span.rank >= ranks) continue;
    Span& own = spans[ends[span.rank]++];
    own = span;
    own.start_s -= start;
    own.end_s -= start;
  }
  std::size_t begin = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto of_rank = std::span(spans).subspan(begin, ends[rank] - begin);
    if (!std::ranges::is_sorted(of_rank, {}, &Span::stream))
      std::ranges::stable_sort(of_rank, {}, &Span::stream);
    begin = ends[rank];
  }
  return spans;
}

/// Range of measured times. The spread of a library of kernels is that of its kernels, not of
/// messages by it.
std::optional<TimeRange> range_of(const Scenario& scenario, const Measurement& measured,
                                  double time_s) {
  if (scenario.library.blocks && scenario.job.nccl == nullptr) return std::nullopt;
  return likely_range(scenario.library, beyond_fit(scenario, {}).empty(),
                      measured.traffic.bytes_between_hosts > 0
                          ? static_cast<int>(scenario.placement.ranks_by_host().size())
                          : 1,
                      scenario.job.bytes, time_s);
}

}  // namespace

void add_busiest_links(std::vector<ResourceReport>& listed, std::span<const ResourceReport> all) {
  for (const bool outside : {false, true}) {
    const auto is_one = [outside](const ResourceReport& one) {
      return one.kind == ResourceKind::link && leaves_host(one.id.place) == outside;
    };
    const auto first = std::ranges::find_if(all, is_one);
    if (first != all.end() && std::ranges::none_of(listed, is_one)) listed.push_back(*first);
  }
}

Measurement measure(const Run& run, std::span<const std::unique_ptr<RankThread>> ranks,
                    double start, const Table<double>& used_before) {
  Measurement result;
  const RankThread* last = ranks.front().get();
  for (const auto& rank : ranks)
    if (rank->finish_time() > last->finish_time()) last = rank.get();
  result.time_s = last->finish_time() - start;
  result.traffic = run.mpi->traffic;
  for (const auto& rank : ranks) result.ranks.push_back(rank_report(run, *rank, start));
  for (const PhaseTimes& phase : run.phases)
    result.phases.push_back(
        {phase_text({phase.name, 0, phase.part}), phase.start - start, phase.end - start});
  result.observations = observations_of(worth_reporting(run));
  result.training = training_report(run, start, result.time_s, result.ranks);
  if (result.training) result.training->groups = mean_groups(result.ranks);
  result.streams = stream_reports(run, ranks, result.time_s);
  result.resources = busiest_resources(run, result.time_s, used_before);
  result.path = path_segments(run, last->end_of_path());
  result.path_reduced = run.paths->reduced();
  if (run.mpi->received != nullptr) {
    const ChainOf from{run, start, result.time_s, used_before};
    result.chain = std::make_shared<const PathChain>(from.chain(last->end_of_path()));
  }
  if (run.spans != nullptr) {
    result.spans = own_spans(run, start);
    result.samples = samples_of(run, result.spans, start, result.time_s);
  }
  return result;
}

Report report_of(const Scenario& scenario, std::vector<Measurement> measurements) {
  Report report;
  for (const Measurement& measurement : measurements) report.times_s.push_back(measurement.time_s);
  std::vector<std::size_t> order = numbers_below<std::size_t>(measurements.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return measurements[a].time_s < measurements[b].time_s;
  });
  Measurement& median = measurements[order[(order.size() - 1) / 2]];

  report.name = scenario.name;
  report.labelled = scenario.labelled;
  report.collective = scenario.job.algorithm->collective;
  report.algorithm = scenario.job.algorithm->name;
  report.chosen = chosen_by(scenario);
  report.placement = scenario.placement.text;
  report.library = scenario.library.name;
  report.cluster = scenario.cluster.name;
  report.ranks = static_cast<int>(scenario.placement.ranks.size());
  report.bytes = scenario.job.bytes.count;
  report.seed = scenario.job.seed;
  report.resolved = scenario.resolved;
  if (scenario.job.schedule != nullptr) report.trace_nodes = scenario.job.schedule->node_counts;
  report.time_s = median.time_s;
  static_cast<RunParts&>(report) = std::move(static_cast<RunParts&>(median));
  // A step of training, a trace, a program are more than the exchange of a vector.
  const bool of_one_vector = scenario.job.training == nullptr && report.trace_nodes.empty() &&
                             programs::program_of(scenario.job.options) == nullptr;
  if (report.time_s > 0 && of_one_vector && !report.deadlock) {
    report.algbw = static_cast<double>(report.bytes) / report.time_s;
    report.busbw = report.algbw * bus_factor(collective_of(*scenario.job.algorithm), report.ranks);
    report.likely = range_of(scenario, median, report.time_s);
  }
  report.messages = median.traffic.messages;
  report.bytes_on_wire = median.traffic.bytes;
  report.bytes_between_hosts = median.traffic.bytes_between_hosts;
  if (median.traffic.file_bytes > 0) report.file_bytes_between_hosts = median.traffic.file_bytes;
  report.rank_reports = std::move(median.ranks);
  report.stream_names = shown_threads(scenario.job).names;
  report.skipped_s = median.skipped.seconds;
  report.skipped_messages = median.skipped.messages;
  report.skipped_repetitions = static_cast<std::size_t>(median.repeated);
  report.times_s.resize(report.times_s.size() + report.skipped_repetitions, report.time_s);
  return report;
}

}  // namespace ringscope::sim
