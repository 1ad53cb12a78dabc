// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/report_parts.hpp"

#include <fmt/format.h>

#include "algorithms/programs/program.hpp"
#include "algorithms/traces/trace.hpp"

namespace ringscope::sim {
namespace {

const traces::Trace* trace_of(const Job& job) {
  const schedules::Schedule* schedule = job.options.schedule;
  return schedule != nullptr ? schedule->trace.get() : nullptr;
}

/// Seconds of one rank's stream, by what they were spent on: computing; in each group waiting and
/// then exchanging; otherwise; idle.
std::vector<double> spent(const RankThread& thread, std::size_t groups, double time_s) {
  std::vector<double> parts;
  double other = 0;
  for (std::size_t i = 0; i < activity_names.size(); ++i)
    if (static_cast<RankActivity>(i) != RankActivity::compute &&
        static_cast<RankActivity>(i) != RankActivity::idle)
      other += thread.seconds()[i];
  const double computing = thread.seconds()[RankActivity::compute];
  const double idle = std::max(0.0, time_s - computing - other);
  parts.push_back(computing);
  for (std::size_t i = 0; i < groups; ++i) {
    const CallTime time = thread.in_groups().of(i);
    parts.push_back(time.partner);
    parts.push_back(time.all - time.partner);
    other -= time.all;
  }
  parts.push_back(std::max(0.0, other));
  parts.push_back(idle);
  return parts;
}

std::vector<std::string> words_for(const std::vector<std::string_view>& groups) {
  std::vector<std::string> words = {"computing"};
  for (const std::string_view name : groups) {
    words.push_back(fmt::format("waiting in {} groups", name));
    words.push_back(fmt::format("exchanging in {} groups", name));
  }
  words.emplace_back(groups.empty() ? "in calls, and waiting" : "waiting otherwise");
  words.emplace_back("idle");
  return words;
}

StreamReport report_of_stream(std::string name, std::vector<std::string> words,
                              const std::vector<std::vector<double>>& ranks, double time_s) {
  constexpr double rounding = 1e-9;
  StreamReport report{std::move(name), static_cast<int>(ranks.size()), {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    double sum = 0, least = ranks.front()[i], most = 0;
    for (const std::vector<double>& rank : ranks) {
      sum += rank[i];
      least = std::min(least, rank[i]);
      most = std::max(most, rank[i]);
    }
    const double mean = sum / static_cast<double>(ranks.size());
    if (most > rounding * time_s) report.spent.push_back({std::move(words[i]), mean, least, most});
  }
  return report;
}

bool is_idle(const RankThread& thread) {
  double busy = 0;
  for (const double seconds : thread.seconds()) busy += seconds;
  return busy == thread.seconds()[RankActivity::idle];
}

constexpr int sample_windows = 10;

using Window = std::pair<double, double>;  ///< start and end

/// Adds `amount`, evenly spread over `when`, to windows of this length.
void spread(std::vector<double>& windows, double length, Window when, double amount) {
  const double rate = amount / (when.second - when.first);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double from = static_cast<double>(i) * length;
    if (from >= when.second) break;
    const double time = std::min(when.second, from + length) - std::max(when.first, from);
    if (time > 0) windows[i] += rate * time;
  }
}

/// True while the rank works, or, if it polls, waits for other ranks.
bool is_at_work(const Run& run, const Span& span, bool polls) {
  const bool works = span.activity == RankActivity::compute ||
                     span.activity == RankActivity::reduce || span.activity == RankActivity::copy;
  const PhaseTimes phase = span.phase < 0 ? PhaseTimes{} : run.phases.begin()[span.phase];
  const bool for_files =
      (phase.part.empty() && (phase.name == "wait for input" || phase.name == "checkpoint")) ||
      span.cause == Cause::storage || span.cause == Cause::sleep;
  return works || (polls && !for_files);
}

/// The same times, in order and none twice.
std::vector<Window> merged(std::vector<Window> times) {
  std::ranges::sort(times);
  std::vector<Window> all;
  for (const Window& one : times) {
    if (all.empty() || one.first > all.back().second)
      all.push_back(one);
    else
      all.back().second = std::max(all.back().second, one.second);
  }
  return all;
}

}  // namespace

ShownThreads shown_threads(const Job& job) {
  ShownThreads shown;
  if (const programs::Program* program = programs::program_of(job.options)) {
    shown.streams = static_cast<int>(program->streams.size());
    if (shown.streams > 1) shown.names = program->streams;
  } else if (const traces::Trace* trace = trace_of(job)) {
    const int threads = threads_of(*job.algorithm, job.options);
    shown.streams = std::min(threads, traces::lanes_of(*trace));
    shown.messages = threads - shown.streams;
    for (int i = 0; i < shown.streams && threads > 1; ++i)
      shown.names.push_back(fmt::format("lane {}", i));
    for (int i = 0; i < shown.messages; ++i) shown.names.push_back(fmt::format("messages {}", i));
  }
  return shown;
}

void name_groups(const Job& job, GroupNames& names) {
  const programs::Program* program = programs::program_of(job.options);
  if (program == nullptr) return;
  for (const programs::CommunicatorKind& one : program->communicators)
    names.name_tags(programs::tags_of_communicator, program->kinds[one.kind].name);
}

std::vector<StreamReport> stream_reports(const Run& run,
                                         std::span<const std::unique_ptr<RankThread>> ranks,
                                         double time_s) {
  const Job& job = run.machine->scenario().job;
  const ShownThreads shown = shown_threads(job);
  if (programs::program_of(job.options) == nullptr && shown.names.empty()) return {};
  const auto& groups = run.groups.names();
  std::vector<StreamReport> reports;
  for (int stream = 0; stream < shown.streams; ++stream) {
    std::vector<std::vector<double>> each;
    for (const auto& rank : ranks) {
      const RankThread& thread = stream == 0 ? *rank : *rank->others().begin()[stream - 1];
      if (stream == 0 || !is_idle(thread)) each.push_back(spent(thread, groups.size(), time_s));
    }
    const std::string name = shown.names.empty() ? "main" : shown.names[stream];
    if (!each.empty()) reports.push_back(report_of_stream(name, words_for(groups), each, time_s));
  }
  return reports;
}

// Ranks of a GPU run their kernels beside each other, and it is busy once. A rank on a core has a
// process, which polls while it waits. Host threads of ranks on GPUs count nowhere.
std::vector<SampleReport> samples_of(const Run& run, std::span<const Span> spans, double start,
                                     double time_s) {
  if (time_s <= 0) return {};
  const Scenario& scenario = run.machine->scenario();
  const Topology& topology = scenario.cluster.topology;
  const double length = time_s / sample_windows;
  std::map<std::string, std::vector<Window>> gpus;
  std::map<std::string, std::vector<double>> loads;
  const auto load = [&](const std::string& name) -> std::vector<double>& {
    return loads.try_emplace(name, sample_windows).first->second;
  };
  std::vector<double>* of_host = nullptr;  // of the rank whose spans these are, or ...
  std::vector<Window>* of_gpu = nullptr;
  for (int rank = -1; const Span& span : spans) {
    const Location& where = scenario.placement.ranks[span.rank];
    if (!is_at_work(run, span, where.gpu < 0 || scenario.library.blocks)) continue;
    if (std::exchange(rank, span.rank) != span.rank) {
      const Host& host = topology.hosts()[where.host];
      of_host = where.gpu < 0 ? &load(host.name) : nullptr;
      of_gpu = where.gpu < 0 ? nullptr : &gpus[topology.graph()[host.gpus[where.gpu]].name];
    }
    const Window when = {span.start_s, span.end_s};
    if (of_host != nullptr)
      spread(*of_host, length, when, span.end_s - span.start_s);
    else
      of_gpu->push_back(when);
  }
  for (auto& [name, times] : gpus)
    for (const Window& one : merged(std::move(times)))
      spread(load(name), length, one, one.second - one.first);
  for (const Prepared& one : run.prepared)
    if (one.end > one.start)
      spread(load(run.machine->host_name(one.rank)), length, {one.start - start, one.end - start},
             one.core_seconds);
  std::vector<SampleReport> samples;
  for (auto& [name, windows] : loads) {
    for (double& each : windows) each *= 100 / length;
    samples.push_back({name, std::move(windows)});
  }
  return samples;
}

}  // namespace ringscope::sim
