// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_ranks = 16;   // more are in the JSON
constexpr std::size_t most_columns = 8;  // of times, so that a line keeps to 100 columns
constexpr std::size_t most_segments = 10;
/// Percentiles; of few times the first and the last tenth are the least and the most.
std::string percentiles(std::vector<double> times) {
  constexpr std::size_t least_times = 10;
  if (times.size() < least_times) return "";
  std::ranges::sort(times);
  const auto quantile = [&](double share) {
    return to_short_text(
        Seconds(times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))]));
  };
  return fmt::format(", p10 {}, p90 {}", quantile(0.1), quantile(0.9));
}

std::string headline(const Report& report) {
  std::string text = fmt::format("{}: {}", report.name, to_short_text(Seconds(report.time_s)));
  if (report.likely) text += fmt::format(" ({}: {})", spread_words(), range_text(*report.likely));
  if (report.algbw > 0) {
    text += fmt::format(", algbw {}, busbw {}", to_short_text(Bandwidth{report.algbw}),
                        to_short_text(Bandwidth{report.busbw}));
  }
  const std::string chosen = report.chosen.empty() ? "" : fmt::format(" ({})", report.chosen);
  const std::string words = counts_words(report.placement);
  const char* back = report.collective == "pingpong" ? " there and back" : "";
  text +=
      fmt::format("\n  {} {}{} of {}{} on {}, placed {}{}, on {} with {}\n", report.collective,
                  report.algorithm, chosen, to_short_text(Bytes{report.bytes}), back,
                  plural(static_cast<std::uint64_t>(report.ranks), "rank"), report.placement,
                  words.empty() ? "" : fmt::format(" ({})", words), report.cluster, report.library);
  text += fmt::format("  {}, {} sent, {} of it between hosts", plural(report.messages, "message"),
                      to_short_text(Bytes{report.bytes_on_wire}),
                      to_short_text(Bytes{report.bytes_between_hosts}));
  if (report.file_bytes_between_hosts)
    text +=
        fmt::format(", and {} of files", to_short_text(Bytes{*report.file_bytes_between_hosts}));
  if (report.times_s.size() > 1) {
    const auto [least, most] = std::minmax_element(report.times_s.begin(), report.times_s.end());
    text += fmt::format("; median of {} from {} to {}{}, seed {}", report.times_s.size(),
                        to_short_text(Seconds(*least)), to_short_text(Seconds(*most)),
                        percentiles(report.times_s), report.seed);
  }
  return text + '\n';
}

/// Times of the ranks under the names of what they were spent on.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> seconds;  ///< [rank][name]
};

/// Leaves out what no rank spent time on; of too many columns the smallest become "other".
Columns worth_showing(const Columns& all) {
  std::vector<double> totals(all.names.size());
  for (const auto& row : all.seconds) {
    for (std::size_t i = 0; i < row.size(); ++i) totals[i] += row[i];
  }
  std::vector<std::size_t> order = numbers_below<std::size_t>(totals.size());
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
  order.erase(std::ranges::find_if(order, [&](std::size_t i) { return totals[i] == 0; }),
              order.end());
  const bool too_many = order.size() > most_columns;
  const auto kept_end =
      order.begin() + static_cast<std::ptrdiff_t>(too_many ? most_columns - 1 : order.size());
  std::sort(order.begin(), kept_end);
  Columns shown;
  for (auto i = order.begin(); i != kept_end; ++i) shown.names.push_back(all.names[*i]);
  if (too_many) shown.names.emplace_back("other");
  for (const auto& row : all.seconds) {
    std::vector<double> cells;
    for (auto i = order.begin(); i != kept_end; ++i) cells.push_back(row[*i]);
    if (too_many) {
      cells.push_back(std::accumulate(kept_end, order.end(), 0.0,
                                      [&](double sum, std::size_t i) { return sum + row[i]; }));
    }
    shown.seconds.push_back(std::move(cells));
  }
  return shown;
}

bool several_domains(const Report& report) {
  return std::ranges::any_of(report.rank_reports,
                             [](const RankReport& rank) { return rank.numa > 0; });
}

/// `finish` puts the time at which each rank ended before the columns.
std::string rank_table(const Report& report, const Columns& columns, bool finish) {
  const TimeScale scale(report.time_s);
  std::vector<TextTable::Column> heads = {"rank", text_column("host")};
  if (finish) heads.push_back("finish");
  for (const std::string& name : columns.names) heads.push_back(name);
  TextTable table(heads);
  const std::size_t shown = std::min(most_ranks, report.rank_reports.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RankReport& rank = report.rank_reports[i];
    const std::string numa = several_domains(report) ? fmt::format("/numa{}", rank.numa) : "";
    std::vector<std::string> cells = {std::to_string(rank.rank), rank.host + numa};
    if (finish) cells.push_back(scale.text(rank.finish_s));
    for (const double seconds : columns.seconds[i]) cells.push_back(scale.text(seconds));
    table.add(std::move(cells));
  }
  std::string text = table.text(2);
  if (shown < report.rank_reports.size()) {
    text += fmt::format("  ... and {} more ranks: --json has them all\n",
                        report.rank_reports.size() - shown);
  }
  return text;
}

template <class Names, class Row>
Columns columns_of(const Report& report, const Names& names, Row row) {
  Columns columns;
  columns.names.assign(names.begin(), names.end());
  for (const RankReport& rank : report.rank_reports) {
    columns.seconds.emplace_back(row(rank).begin(), row(rank).end());
  }
  return worth_showing(columns);
}

std::string ranks(const Report& report) {
  const Columns spent = columns_of(
      report, activity_names, [](auto& r) -> auto& { return r.seconds; });
  const Columns waited = columns_of(
      report, cause_names, [](auto& r) -> auto& { return r.waited_for; });
  std::string text = "\n  Where the time of each rank went\n" + rank_table(report, spent, true);
  if (!waited.names.empty()) {
    text += "\n  Causes of blocking (in_send, in_wait)\n" + rank_table(report, waited, false);
  }
  return text;
}

std::string phases(const Report& report) {
  const TimeScale scale(report.time_s);
  TextTable table({text_column("phase"), "start", "end", "duration"});
  for (const PhaseReport& phase : report.phases) {
    table.add({phase.name, phase.start_s == 0 ? "0 s" : scale.text(phase.start_s),
               scale.text(phase.end_s), scale.text(phase.end_s - phase.start_s)});
  }
  return "\n  Phases\n" + table.text(2);
}

std::string observations(const Report& report) {
  TextTable table({text_column("observed"), "times", "per second", "interval", "mean", "least",
                   "median", "p90", "most"});
  std::string values;
  for (const Observation& one : report.observations) {
    const auto number = [](double value) { return fmt::format("{:.4g}", value); };
    const double per_second = static_cast<double>(one.count) / report.time_s;
    table.add({one.what, std::to_string(one.count), report.time_s > 0 ? number(per_second) : "-",
               one.median_interval_s > 0 ? to_short_text(Seconds(one.median_interval_s)) : "-",
               number(one.mean), number(one.least), number(one.median), number(one.p90),
               number(one.most)});
    if (one.values.size() < 2) continue;
    values += fmt::format("  {}:", one.what);
    for (const auto& [value, count] : one.values)
      values += fmt::format("  {} x {:g}", count, value);
    values += '\n';
  }
  return "\n  What the algorithm observed\n" + table.text(2) + values + freshness_text(report);
}

std::string resources(const Report& report) {
  TextTable table({text_column("resource"), text_column("kind"), "busy"});
  for (const ResourceReport& resource : report.resources) {
    table.add({resource.id.name(), std::string(resource_kind_names[resource.kind]),
               fmt::format("{:.1f} %", 100 * resource.utilisation)});
  }
  return "\n  The busiest resources\n" + table.text(2);
}

std::string path(const Report& report) {
  if (report.time_s == 0) return "";
  if (report.path.empty()) return "\n  The critical path was not kept.\n";
  const TimeScale scale(report.time_s);
  TextTable table({"time", "share", text_column("cause")});
  const auto share = [&](double seconds) {
    return report.time_s > 0 ? fmt::format("{:.1f} %", 100 * seconds / report.time_s) : "-";
  };
  const std::size_t shown = std::min(most_segments, report.path.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PathSegment& segment = report.path[i];
    table.add({scale.text(segment.seconds), share(segment.seconds), segment_text(segment)});
  }
  if (shown < report.path.size()) {
    double rest = 0;
    for (std::size_t i = shown; i < report.path.size(); ++i) rest += report.path[i].seconds;
    table.add(
        {scale.text(rest), share(rest), plural(report.path.size() - shown, "smaller segment")});
  }
  const char* reduced =
      report.path_reduced ? "  It is long: its smaller segments are sums, without places.\n" : "";
  return "\n  Why it took that long: the critical path\n" + table.text(2) + reduced;
}

/// All jobs, the foreground job first.
std::string jobs(const Report& report) {
  const TimeScale scale(slowest_job_s(report));
  TextTable table({text_column("job"), text_column("what"), "ranks", text_column("placed"), "of",
                   "time", "rounds"});
  const auto add = [&](const std::string& name, const auto& one, const std::string& rounds) {
    table.add({name, one.collective + " " + one.algorithm, std::to_string(one.ranks), one.placement,
               to_short_text(Bytes{one.bytes}), scale.text(one.time_s), rounds});
  };
  add("this one", report, "1");
  for (const NeighbourReport& one : report.neighbours)
    add(one.name, one, std::to_string(one.rounds));
  return "\n  The jobs that ran side by side, and the time of a round of each\n" + table.text(2);
}

std::string nodes_of_trace(const Report& report) {
  std::size_t all = 0;
  TextTable table({"nodes", text_column("kind"), text_column("simulated as")});
  for (const NodeCount& one : report.trace_nodes) {
    table.add({std::to_string(one.count), one.kind, one.as});
    all += one.count;
  }
  return fmt::format("\n  The {} of the trace, each accounted for\n", plural(all, "node")) +
         table.text(2);
}

std::string skipped_text(const Report& report) {
  std::string text;
  if (report.skipped_messages > 0)
    text += fmt::format("  Skipped: {} of its {} messages repeat those before them.\n",
                        report.skipped_messages, report.messages);
  if (report.skipped_repetitions > 0)
    text += fmt::format(
        "  Skipped: {} of {} repetitions are the first one again, since nothing in them is "
        "random.\n",
        report.skipped_repetitions, report.times_s.size());
  return text;
}

std::string tolerance_text(const Report& report) {
  if (!report.tolerance) return "";
  return fmt::format(
      "  Tolerance: transfers that begin or end within {0:.3g} % of their duration of each "
      "other count as simultaneous. The time may change by more than {0:.3g} %.\n",
      100 * *report.tolerance);
}

std::string folded_text(const Report& report) {
  if (report.simulated_ranks == 0)
    return report.not_folded.empty()
               ? ""
               : fmt::format("  Not folded: all {} ranks are simulated, since {}.\n", report.ranks,
                             report.not_folded);
  const std::string alike =
      report.uneven == 0 ? "do the same at the same time"
                         : fmt::format("do the same but for messages that differ by up to {:.2g} %",
                                       100 * report.uneven);
  return fmt::format("  Folded: {} of {} ranks are simulated; the others {} (--no-fold: all).\n",
                     report.simulated_ranks, report.ranks, alike);
}

}  // namespace

std::string print_run(std::span<const Report> reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!text.empty()) text += '\n';
    text += headline(report);
    for (const std::string& warning : report.warnings)
      text += fmt::format("  warning: {}\n", warning);
    if (!report.neighbours.empty()) text += jobs(report);
    if (!report.trace_nodes.empty()) text += nodes_of_trace(report);
    if (report.training)
      text += training_text(*report.training, report.rank_reports) + cycle_text(report);
    if (!report.streams.empty() && report.time_s > 0) text += streams_text(report);
    if (!report.rank_reports.empty()) text += ranks(report);
    if (!report.phases.empty()) text += phases(report);
    if (!report.observations.empty()) text += observations(report);
    if (!report.resources.empty()) text += resources(report);
    if (!report.samples.empty()) text += samples_text(report);
    text += path(report);
    text += skipped_text(report);
    text += tolerance_text(report);
    text += folded_text(report);
  }
  return text;
}

}  // namespace ringscope
