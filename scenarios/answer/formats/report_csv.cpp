// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

std::string number_or_nothing(int number, bool known) {
  return known ? std::to_string(number) : std::string();
}

/// Name of its stream; none where its rank has one.
std::string_view stream_of(const Report& report, const Span& span) {
  const View<const std::string> names = report.stream_names;
  return span.stream < std::ssize(names) ? std::string_view(names[span.stream]) : "";
}

/// `first`: the case to whose time the ratios are; null: without ratios.
std::string rows_of(std::span<const Report> reports, const Report* first) {
  std::string text =
      "case,collective,algorithm,cluster,library,placement,ranks,bytes,time_s,algbw_bytes_per_s,"
      "busbw_bytes_per_s,messages,bytes_on_wire,bytes_between_hosts,seed,kernel";
  const bool several_jobs =
      std::ranges::any_of(reports, [](const Report& report) { return !report.neighbours.empty(); });
  if (several_jobs) text += ",slowest_job_s,mean_job_s";
  const bool ranges =
      std::ranges::any_of(reports, [](const Report& report) { return report.likely.has_value(); });
  if (ranges) text += ",low_s,high_s";
  if (first != nullptr) text += ",ratio";
  text += '\n';
  for (const Report& r : reports) {
    if (r.deadlock) continue;  // there is no time
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                   csv_cell(r.name), csv_cell(r.collective), csv_cell(r.algorithm),
                   csv_cell(r.cluster), csv_cell(r.library), csv_cell(r.placement), r.ranks,
                   r.bytes, r.time_s, r.algbw, r.busbw, r.messages, r.bytes_on_wire,
                   r.bytes_between_hosts, r.seed, csv_cell(r.kernel));
    if (several_jobs) text += fmt::format(",{},{}", slowest_job_s(r), mean_job_s(r));
    if (ranges) text += r.likely ? fmt::format(",{},{}", r.likely->low_s, r.likely->high_s) : ",,";
    if (first != nullptr)
      text += first->time_s > 0 ? fmt::format(",{}", r.time_s / first->time_s) : ",";
    text += '\n';
  }
  return text;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string to_csv(std::span<const Report> reports) { return rows_of(reports, nullptr); }

std::string comparison_csv(std::span<const Report> reports) {
  const auto first = std::ranges::find_if(reports, [](auto& one) { return !one.deadlock; });
  const Report none;
  return rows_of(reports, first == reports.end() ? &none : &*first);
}

std::string to_timeline_csv(std::span<const Report> reports) {
  const bool streams = std::ranges::any_of(
      reports, [](const Report& report) { return !report.stream_names.empty(); });
  std::string text = "case,rank,activity,phase,step,peer,start_s,end_s,cause";
  text += streams ? ",stream\n" : "\n";
  for (const Report& report : reports) {
    const std::string name = csv_cell(shown_name(report));
    for (const Span& span : report.spans) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}", name, span.rank,
                     activity_names[span.activity], csv_cell(phase_of(report, span)),
                     number_or_nothing(span.step, span.phase >= 0),
                     number_or_nothing(span.peer, span.peer >= 0), span.start_s, span.end_s,
                     span.cause ? cause_names[*span.cause] : "");
      if (streams) text += ',' + csv_cell(stream_of(report, span));
      text += '\n';
    }
  }
  return text;
}

}  // namespace ringscope
