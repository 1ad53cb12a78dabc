#include <fmt/format.h>

#include <iterator>

#include "scenarios/report_formats.hpp"

namespace ringscope {
namespace {

Json metadata(const char* kind, std::size_t process, int track, const std::string& name) {
  return {
      {"ph", "M"}, {"name", kind}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

/// A complete event; the format counts in microseconds.
Json event(std::size_t process, const Span& span) {
  Json args = Json::object();
  if (!span.phase.empty()) args = {{"phase", span.phase}, {"step", span.step}};
  if (span.peer >= 0) args["peer"] = span.peer;
  return {{"ph", "X"},
          {"name", activity_names[static_cast<std::size_t>(span.activity)]},
          {"cat", span.phase.empty() ? "job" : span.phase},
          {"pid", process},
          {"tid", span.rank},
          {"ts", span.start_s * 1e6},
          {"dur", (span.end_s - span.start_s) * 1e6},
          {"args", args}};
}

}  // namespace

std::string to_trace(std::span<const Report> reports) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  const auto add = [&](const Json& json) {
    text += separator + json.dump();
    separator = ",\n";
  };
  for (std::size_t process = 0; process < reports.size(); ++process) {
    const Report& report = reports[process];
    add(metadata("process_name", process, 0, report.name));
    for (const RankReport& rank : report.rank_reports) {
      add(metadata("thread_name", process, rank.rank,
                   fmt::format("rank {} ({})", rank.rank, rank.host)));
    }
    for (const Span& span : report.spans) {
      if (span.activity != Activity::idle) add(event(process, span));
    }
  }
  return text + "\n]}\n";
}

}  // namespace ringscope
