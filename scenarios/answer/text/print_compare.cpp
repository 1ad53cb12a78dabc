// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_differences = 8;
std::string bandwidth(double bytes_per_second) {
  return bytes_per_second > 0 ? to_short_text(Bandwidth{bytes_per_second}) : "-";
}

std::string ratio_text(double time_s, double first_s) {
  return first_s > 0 ? fmt::format("{:.3f} x", time_s / first_s) : "-";
}

/// Row of a case that deadlocks, in a table of N columns.
std::vector<std::string> stuck_row(const std::string& name, std::size_t columns) {
  std::vector<std::string> cells(columns, "-");
  cells[0] = name;
  cells[1] = "deadlock";
  return cells;
}

/// Overview of training jobs: a step's time, and its parts.
std::string training_overview(std::span<const Report> reports, const Report& first,
                              const std::vector<std::string>& names) {
  std::vector<const TrainingReport*> jobs;
  double longest = 0;
  for (const Report& report : reports) {
    if (report.deadlock) continue;
    jobs.push_back(&*report.training);
    longest = std::max(longest, report.training->step_s);
  }
  const TimeScale scale(longest);
  const std::vector<StepPart> parts = step_parts(jobs);
  std::vector<TextTable::Column> columns = {text_column("case"), "step", "ratio"};
  for (const StepPart& part : parts) columns.push_back(part.header);
  for (const char* header : {"samples/s", "efficiency"}) columns.push_back(header);
  const bool whole = std::ranges::any_of(
      jobs, [](const TrainingReport* job) { return job->training_s.has_value(); });
  if (whole) columns.push_back("all epochs");
  const std::size_t width = columns.size();
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (reports[i].deadlock) {
      table.add(stuck_row(names[i], width));
      continue;
    }
    const TrainingReport& step = *reports[i].training;
    std::vector<std::string> cells = {names[i], scale.text(step.step_s),
                                      ratio_text(step.step_s, first.training->step_s)};
    for (const StepPart& part : parts) cells.push_back(scale.text(part.of(step)));
    cells.push_back(fmt::format("{:.4g}", step.records_per_s));
    cells.push_back(fmt::format("{:.1f} %", 100 * step.efficiency));
    if (whole) cells.push_back(step.training_s ? duration_text(*step.training_s) : "-");
    table.add(std::move(cells));
  }
  return table.text(0) + sum_of_parts(parts);
}

/// `first`: that the others are compared with.
std::string overview(std::span<const Report> reports, const Report& first,
                     const std::vector<std::string>& names) {
  if (std::ranges::all_of(reports, [](auto& one) { return one.training || one.deadlock; }))
    return training_overview(reports, first, names);
  const bool ranges =
      std::ranges::any_of(reports, [](auto& one) { return one.likely.has_value(); });
  std::vector<TextTable::Column> columns = {text_column("case"), "time", "ratio", "algbw", "busbw"};
  if (ranges) columns.insert(columns.begin() + 2, {spread_words()});
  TextTable table(columns);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& one = reports[i];
    if (one.deadlock) {
      table.add(stuck_row(names[i], columns.size()));
      continue;
    }
    std::vector<std::string> cells = {names[i], to_short_text(Seconds(one.time_s)),
                                      ratio_text(one.time_s, first.time_s), bandwidth(one.algbw),
                                      bandwidth(one.busbw)};
    if (ranges) cells.insert(cells.begin() + 2, one.likely ? range_text(*one.likely) : "-");
    table.add(std::move(cells));
  }
  const bool back =
      std::ranges::any_of(reports, [](auto& one) { return one.collective == "pingpong"; });
  return table.text(0) +
         (back ? "pingpong: time there and back, algbw at most half the link bandwidth\n" : "");
}

/// Each warning once, with the cases that it is about, unless these are all.
std::string warnings_of(std::span<const Report> reports, const std::vector<std::string>& names) {
  std::string text;
  std::set<std::string> known;
  for (const Report& report : reports)
    for (const std::string& warning : report.warnings) {
      if (!known.insert(warning).second) continue;
      std::vector<std::string> cases;
      for (std::size_t i = 0; i < reports.size(); ++i)
        if (std::ranges::count(reports[i].warnings, warning) > 0) cases.push_back(names[i]);
      const bool of_all = cases.size() == reports.size();
      text += fmt::format("{}warning: {}{}\n", text.empty() ? "\n" : "",
                          of_all ? "" : fmt::format("{}: ", fmt::join(cases, ", ")), warning);
    }
  return text;
}

/// Time that one path spent on one cause, and its largest segment.
struct Spent {
  double seconds = 0;
  const PathSegment* most = nullptr;
};

Spent spent_on(const Report& report, Cause cause) {
  Spent spent;
  for (const PathSegment& segment : report.path) {
    if (segment.cause != cause) continue;
    spent.seconds += segment.seconds;
    // Rounding must not choose between two that are equal on paper.
    if (spent.most == nullptr || segment.seconds > (1 + 1e-9) * spent.most->seconds)
      spent.most = &segment;
  }
  return spent;
}

double outside_path(const Report& report) {
  double outside = report.time_s;
  for (const PathSegment& segment : report.path) outside -= segment.seconds;
  // The remainder of a complete path is the rounding of its sum.
  return std::abs(outside) > 1e-9 * report.time_s ? outside : 0;
}

std::string busy_text(const Report& report, const ResourceId& resource) {
  for (const ResourceReport& busy : report.resources)
    if (busy.id == resource && busy.utilisation >= 0.5)
      return fmt::format(", busy {:.0f} %", 100 * busy.utilisation);
  return "";
}

/// `likely`: that is the prediction, where the order of the two is open.
std::string sentence(const std::string& first, const std::string& other, double first_s,
                     const Report& report, const std::vector<Difference>& list, bool likely) {
  const double other_s = report.time_s;
  if (first_s <= 0 || other_s <= 0) return fmt::format("{} against {}", other, first);
  const double ratio = other_s / first_s;
  if (std::abs(ratio - 1) < 0.01) {
    const double percent = std::abs(ratio - 1) < 0.5e-4 ? 0 : 100 * (ratio - 1);  // not "-0.00"
    return fmt::format("{} {} as long as {} ({:+.2f} %)", other,
                       likely ? "is predicted to take" : "takes", first, percent);
  }
  const bool slower = ratio > 1;
  const auto same_way = [&](const Difference& d) { return (d.seconds() > 0) == slower; };
  const auto reason = std::ranges::find_if(list, same_way);
  std::string text =
      fmt::format("{} {} {:.2f}x as long as {}{}", other, likely ? "is predicted to take" : "takes",
                  ratio, first, slower ? "" : fmt::format(" ({:.2f}x speedup)", 1 / ratio));
  if (reason == list.end()) return text;
  return text + fmt::format(": {} {}{}", TimeScale(other_s - first_s).difference(reason->seconds()),
                            reason->spent_on, slower ? busy_text(report, reason->resource) : "");
}

}  // namespace

std::string spread_words() { return fmt::format("{} % of such machines", spread_percent); }

std::string range_text(const TimeRange& range) {
  return fmt::format("{} to {}", to_short_text(Seconds(range.low_s)),
                     to_short_text(Seconds(range.high_s)));
}

std::array<std::string, 2> short_headings(std::string first, std::string other) {
  constexpr std::size_t longest = 18;
  const auto cut = [](const std::string& name, bool between_words = false) {
    if (name.size() <= longest) return name;
    std::size_t end = longest - 2;
    while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // within a letter
    if (const std::size_t space = name.rfind(' ', end);
        between_words && space != std::string::npos && space > end / 2)
      end = space;
    return name.substr(0, end) + "..";
  };
  // Words that both begin with give way to those that tell them apart.
  while (cut(first) == cut(other) && first != other) {
    const std::size_t at = first.find(' ', first.starts_with("..") ? 2 : 0);
    if (at == std::string::npos || !other.starts_with(first.substr(0, at + 1))) break;
    first = ".." + first.substr(at + 1);
    other = ".." + other.substr(at + 1);
  }
  const std::array<std::string, 2> words = {cut(first, true), cut(other, true)};
  return words[0] != words[1] ? words : std::array{cut(first), cut(other)};
}

std::vector<std::string> short_names(std::span<const Report> reports) {
  std::vector<std::string> names = each_of(reports, &Report::name);
  if (names.size() < 2 || reports.front().labelled) return names;
  const std::string first_word = names[0].substr(0, names[0].find(' ') + 1);
  const auto has_it = [&](const std::string& name) { return name.starts_with(first_word); };
  // A number belongs to its unit: "1 KiB" and "1 MiB".
  const bool is_number = first_word.find_first_not_of("0123456789. ") == std::string::npos;
  if (is_number || !std::ranges::all_of(names, has_it)) return names;
  for (std::string& name : names) name.erase(0, first_word.size());
  return names;
}

std::vector<Difference> differences(const Report& first, const Report& other) {
  std::vector<Difference> list;
  for (std::size_t i = 0; i < cause_names.size(); ++i) {
    const Spent before = spent_on(first, Cause(i)), after = spent_on(other, Cause(i));
    // The place of the one that the cause cost more, which the sentence above names, too.
    const Spent& shown = before.seconds > after.seconds ? before : after;
    if (shown.most == nullptr) continue;
    const bool nearly_all = shown.most->seconds > 0.9 * shown.seconds;
    list.push_back({segment_text(*shown.most, !nearly_all), shown.most->resource, before.seconds,
                    after.seconds, cause_names[i]});
  }
  if (outside_path(first) != 0 || outside_path(other) != 0)
    list.push_back({"outside the critical path", {}, outside_path(first), outside_path(other)});
  std::ranges::stable_sort(list, [](const Difference& a, const Difference& b) {
    return std::abs(a.seconds()) > std::abs(b.seconds());
  });
  return list;
}

std::string print_compare(std::span<const Report> reports) {
  const auto ended =
      std::ranges::find_if(reports, [](const Report& report) { return !report.deadlock; });
  if (ended == reports.end()) return "";
  const Report& first = *ended;
  const auto at = static_cast<std::size_t>(ended - reports.begin());
  const std::vector<std::string> names = short_names(reports);
  std::string text = overview(reports, first, names) + freshness_table(reports, names) +
                     warnings_of(reports, names);
  for (std::size_t i = at + 1; i < reports.size(); ++i) {
    if (reports[i].deadlock) continue;
    const std::vector<Difference> list = differences(first, reports[i]);
    const std::string open = open_order(first, reports[i]);
    text +=
        '\n' + sentence(names[at], names[i], first.time_s, reports[i], list, !open.empty()) + '\n';
    if (!open.empty())
      text += fmt::format("order not certain within the {} % intervals: other {}\n", spread_percent,
                          open);
    text += difference_table(first, reports[i], std::vector{names[at], names[i]}, list,
                             most_differences);
  }
  return text;
}

}  // namespace ringscope
