// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

constexpr double microseconds = 1e6;  // in which the format counts

Json metadata(const char* kind, std::size_t process, int track, const std::string& name) {
  return {
      {"ph", "M"}, {"name", kind}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

/// Streams that a report's ranks have: each is a track of its own, in the order of the ranks.
int streams_of(const Report& report) {
  return std::max(1, static_cast<int>(report.stream_names.size()));
}
int track_of(const Report& report, const Span& span) {
  return span.rank * streams_of(report) + span.stream;
}

/// Whether any of its ranks did something on each stream.
Table<bool> used_streams(const Report& report) {
  Table<bool> used(streams_of(report));
  used[0] = true;
  for (const Span& span : report.spans) used[span.stream] = true;
  return used;
}

/// A complete event.
Json event(std::size_t process, const Report& report, const Span& span) {
  Json args = Json::object();
  const std::string_view phase = phase_of(report, span);
  if (!phase.empty()) args = {{"phase", phase}, {"step", span.step}};
  if (span.peer >= 0) args["peer"] = span.peer;
  if (span.cause) args["cause"] = cause_names[*span.cause];
  return {{"ph", "X"},
          {"name", activity_names[span.activity]},
          {"cat", phase.empty() ? "job" : phase},
          {"pid", process},
          {"tid", track_of(report, span)},
          {"ts", span.start_s * microseconds},
          {"dur", (span.end_s - span.start_s) * microseconds},
          {"args", args}};
}

std::string name_of_track(const Report& report, const RankReport& rank, int stream) {
  const std::string name = fmt::format("rank {} ({})", rank.rank, rank.host);
  const View<const std::string> streams = report.stream_names;
  return streams.empty() ? name : fmt::format("{} {}", name, streams[stream]);
}

Json event(std::size_t process, int track, const ChainSegment& one) {
  return {{"ph", "X"},
          {"name", blame_text(blamed(one))},
          {"cat", cause_names[one.segment.cause]},
          {"pid", process},
          {"tid", track},
          {"ts", one.start_s * microseconds},
          {"dur", one.segment.seconds * microseconds},
          {"args", Json::object()}};
}

/// Contact of the critical path with a rank: an instant inside one of its spans.
struct Touch {
  const Span* span = nullptr;
  double at = 0;
};

/// Middle of the overlap of a segment and the span of its rank.
std::optional<Touch> touch(const ChainSegment& one, const std::vector<const Span*>& spans) {
  const double middle = one.start_s + one.segment.seconds / 2;
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

/// Spans of each rank, in the order of time; without those in which it was idle.
using SpansOfRanks = Table<std::vector<const Span*>>;

SpansOfRanks spans_of_ranks(const Report& report) {
  SpansOfRanks by_rank(report.ranks);
  for (const Span& span : report.spans)
    if (span.activity != RankActivity::idle && span.stream == 0)
      by_rank[span.rank].push_back(&span);
  return by_rank;
}

/// Touches in the order of the path, no span twice in a row.
std::vector<Touch> touches(const Report& report, const SpansOfRanks& by_rank) {
  std::vector<Touch> list;
  for (const ChainSegment& one : report.chain->segments) {
    if (one.segment.rank < 0 || one.segment.rank >= report.ranks) continue;
    const auto found = touch(one, by_rank[one.segment.rank]);
    if (found && (list.empty() || list.back().span != found->span)) list.push_back(*found);
  }
  return list;
}

Json flow_event(const char* kind, const char* name, std::size_t id, std::size_t process,
                const Report& report, const Touch& at) {
  return {{"ph", kind},
          {"id", id},
          {"name", name},
          {"cat", name},
          {"pid", process},
          {"tid", track_of(report, *at.span)},
          {"ts", at.at * microseconds}};
}

/// One flow from the first to the last.
std::vector<Json> flow(std::size_t process, const Report& report, const std::vector<Touch>& list) {
  std::vector<Json> events;
  for (std::size_t i = 0; list.size() > 1 && i < list.size(); ++i) {
    const bool last = i + 1 == list.size();
    const char* kind = i == 0 ? "s" : last ? "f" : "t";
    events.push_back(flow_event(kind, "critical path", process + 1, process, report, list[i]));
    if (last) events.back()["bp"] = "e";  // the slice around it, not the next one
  }
  return events;
}

/// Just inside what the sender does from the call on, and what the receiver does up to the end: a
/// reader takes the slice around each end, and there are two at an instant between slices.
std::optional<std::pair<Touch, Touch>> ends(const MessageSpan& message, const SpansOfRanks& spans) {
  constexpr double inside = 1.0 / 1024;
  const auto& sender = spans[message.from];
  const auto& receiver = spans[message.to];
  const auto first = std::ranges::upper_bound(sender, message.start_s, {}, &Span::end_s);
  const auto behind = std::ranges::lower_bound(receiver, message.end_s, {}, &Span::start_s);
  if (first == sender.end() || behind == receiver.begin()) return std::nullopt;
  const Span* last = *(behind - 1);
  const double from = std::max(message.start_s, (*first)->start_s);
  const Touch start{*first, from + inside * (std::min((*first)->end_s, message.end_s) - from)};
  const double begin = std::max(last->start_s, start.at);
  const double until = std::min(last->end_s, message.end_s);
  if (start.at <= from || until <= begin) return std::nullopt;
  return std::pair(start, Touch{last, until - inside * (until - begin)});
}

/// One flow for each message, from its send to the end of its receive; the first is `id`.
std::vector<Json> messages(std::size_t process, const Report& report, const SpansOfRanks& spans,
                           std::size_t& id) {
  std::vector<Json> events;
  for (const MessageSpan& message : report.chain->messages) {
    // Messages of background jobs were received too; their ranks are not drawn.
    if (std::max(message.from, message.to) >= report.ranks) continue;
    const auto found = ends(message, spans);
    if (!found) continue;
    events.push_back(flow_event("s", "message", id, process, report, found->first));
    events.back()["args"] = {{"bytes", message.bytes}, {"to", message.to}};
    events.push_back(flow_event("f", "message", id++, process, report, found->second));
    events.back()["bp"] = "e";
  }
  return events;
}

}  // namespace

std::string to_trace(std::span<const Report> reports) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  std::size_t next_flow = reports.size() + 1;  // behind the critical paths
  const auto add = [&](const Json& json) {
    text += separator + json.dump();
    separator = ",\n";
  };
  for (std::size_t process = 0; process < reports.size(); ++process) {
    const Report& report = reports[process];
    add(metadata("process_name", process, 0, shown_name(report)));
    const Table<bool> used = used_streams(report);
    for (const RankReport& rank : report.rank_reports)
      for (int stream = 0; stream < streams_of(report); ++stream)
        if (used[stream])
          add(metadata("thread_name", process, rank.rank * streams_of(report) + stream,
                       name_of_track(report, rank, stream)));
    for (const Span& span : report.spans) {
      if (span.activity != RankActivity::idle) add(event(process, report, span));
    }
    if (!report.chain) continue;
    const int behind = report.ranks * streams_of(report);
    add(metadata("thread_name", process, behind, "critical path"));
    for (const ChainSegment& one : report.chain->segments) add(event(process, behind, one));
    const SpansOfRanks spans = spans_of_ranks(report);
    for (const Json& one : flow(process, report, touches(report, spans))) add(one);
    for (const Json& one : messages(process, report, spans, next_flow)) add(one);
  }
  return text + "\n]}\n";
}

}  // namespace ringscope
