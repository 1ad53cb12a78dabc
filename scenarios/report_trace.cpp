#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "scenarios/explain.hpp"
#include "scenarios/report_formats.hpp"

namespace ringscope {
namespace {

constexpr double microseconds = 1e6;  // in which the format counts

Json metadata(const char* kind, std::size_t process, int track, const std::string& name) {
  return {
      {"ph", "M"}, {"name", kind}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

/// A complete event.
Json event(std::size_t process, const Span& span) {
  Json args = Json::object();
  if (!span.phase.empty()) args = {{"phase", span.phase}, {"step", span.step}};
  if (span.peer >= 0) args["peer"] = span.peer;
  return {{"ph", "X"},
          {"name", activity_names[static_cast<std::size_t>(span.activity)]},
          {"cat", span.phase.empty() ? "job" : span.phase},
          {"pid", process},
          {"tid", span.rank},
          {"ts", span.start_s * microseconds},
          {"dur", (span.end_s - span.start_s) * microseconds},
          {"args", args}};
}

Json event(std::size_t process, int track, const ChainPiece& one) {
  return {{"ph", "X"},
          {"name", blame_text(blamed(one))},
          {"cat", cause_names[static_cast<std::size_t>(one.piece.cause)]},
          {"pid", process},
          {"tid", track},
          {"ts", one.start_s * microseconds},
          {"dur", one.piece.seconds * microseconds},
          {"args", Json::object()}};
}

/// Where the critical path touches a rank: an instant inside one of its spans.
struct Touch {
  const Span* span = nullptr;
  double at = 0;
};

/// The middle of what a piece and the span of its rank have in common.
std::optional<Touch> touch(const ChainPiece& one, const std::vector<const Span*>& spans) {
  const double middle = one.start_s + one.piece.seconds / 2;
  const auto next =
      std::upper_bound(spans.begin(), spans.end(), middle,
                       [](double at, const Span* span) { return at < span->start_s; });
  if (next == spans.begin()) return std::nullopt;
  const Span* span = *(next - 1);
  const double from = std::max(span->start_s, one.start_s);
  const double to = std::min(span->end_s, one.end_s());
  if (to <= from) return std::nullopt;
  return Touch{span, from + (to - from) / 2};
}

/// In the order of the path, no span twice in a row.
std::vector<Touch> touches(const Report& report) {
  std::vector<std::vector<const Span*>> by_rank(static_cast<std::size_t>(report.ranks));
  for (const Span& span : report.spans)
    if (span.activity != Activity::idle)
      by_rank[static_cast<std::size_t>(span.rank)].push_back(&span);
  std::vector<Touch> list;
  for (const ChainPiece& one : report.chain->pieces) {
    if (one.piece.rank < 0 || one.piece.rank >= report.ranks) continue;
    const auto found = touch(one, by_rank[static_cast<std::size_t>(one.piece.rank)]);
    if (found && (list.empty() || list.back().span != found->span)) list.push_back(*found);
  }
  return list;
}

/// One flow from the first to the last.
std::vector<Json> flow(std::size_t process, const std::vector<Touch>& list) {
  std::vector<Json> events;
  for (std::size_t i = 0; list.size() > 1 && i < list.size(); ++i) {
    const bool last = i + 1 == list.size();
    Json json = {{"ph", i == 0 ? "s"
                        : last ? "f"
                               : "t"},
                 {"id", process + 1},
                 {"name", "critical path"},
                 {"cat", "critical path"},
                 {"pid", process},
                 {"tid", list[i].span->rank},
                 {"ts", list[i].at * microseconds}};
    if (last) json["bp"] = "e";  // the slice around it, not the next one
    events.push_back(json);
  }
  return events;
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
    if (!report.chain) continue;
    add(metadata("thread_name", process, report.ranks, "critical path"));
    for (const ChainPiece& one : report.chain->pieces) add(event(process, report.ranks, one));
    for (const Json& one : flow(process, touches(report))) add(one);
  }
  return text + "\n]}\n";
}

}  // namespace ringscope
