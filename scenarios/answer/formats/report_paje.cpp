// SPDX-License-Identifier: LGPL-2.1-or-later
// Paje's trace format, as ViTE and pajeng read it. Source: B. de Oliveira Stein, J. Chassin de
// Kergommeaux, G. Mounie, Paje trace file format, 2003.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/path_chain.hpp"

namespace ringscope {
namespace {

/// Kinds of lines, by their numbers.
struct LineKind {
  std::string_view name;
  std::vector<std::string_view> fields;
};

/// The kinds of lines with the types of their fields, then the containers, and what they show.
std::string header() {
  const LineKind kinds[] = {
      {"PajeDefineContainerType", {"Alias", "Type", "Name"}},
      {"PajeDefineStateType", {"Alias", "Type", "Name"}},
      {"PajeDefineLinkType", {"Alias", "Type", "StartContainerType", "EndContainerType", "Name"}},
      {"PajeDefineEntityValue", {"Alias", "Type", "Name", "Color"}},
      {"PajeCreateContainer", {"Time", "Alias", "Type", "Container", "Name"}},
      {"PajeDestroyContainer", {"Time", "Type", "Name"}},
      {"PajeSetState", {"Time", "Type", "Container", "Value"}},
      {"PajeStartLink", {"Time", "Type", "Container", "StartContainer", "Value", "Key"}},
      {"PajeEndLink", {"Time", "Type", "Container", "EndContainer", "Value", "Key"}}};
  std::string text;
  for (int number = 0; const LineKind& kind : kinds) {
    text += fmt::format("%EventDef {} {}\n", kind.name, number++);
    for (const std::string_view field : kind.fields)
      text += fmt::format("%  {} {}\n", field,
                          field == "Time"    ? "date"
                          : field == "Color" ? "color"
                                             : "string");
    text += "%EndEventDef\n";
  }
  return text + R"(0 case 0 "Case"
0 rank case "Rank"
0 path case "Critical path"
1 doing rank "RankActivity"
1 cause path "Cause"
2 message case rank rank "Message"
)";
}

/// Hue by place in a list, in Paje's three numbers from 0 to 1.
std::string colour(std::size_t index, std::size_t count) {
  const double hue = 6.0 * static_cast<double>(index) / static_cast<double>(count);
  const auto part = [hue](double shift) {
    const double distance = std::abs(std::fmod(hue + shift, 6.0) - 3.0);
    return 0.35 + 0.55 * std::clamp(distance - 1.0, 0.0, 1.0);
  };
  return fmt::format("{:.3f} {:.3f} {:.3f}", part(0), part(4), part(2));
}

template <class Names>
std::string values(std::string_view type, const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("3 {}_{} {} \"{}\" \"{}\"\n", type, names[i], type, names[i],
                        colour(i, names.size()));
  return text;
}

/// Lines with times, which the format wants sorted.
class Lines {
 public:
  void add(double at, const std::string& line) { lines_.emplace_back(at, line); }
  std::string text() {
    std::ranges::stable_sort(lines_,
                             [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (const auto& [at, line] : lines_) text += line;
    return text;
  }

 private:
  std::vector<std::pair<double, std::string>> lines_;
};

std::string quoted(std::string name) {
  std::ranges::replace(name, '"', '\'');
  return '"' + name + '"';
}

std::string rank_name(std::size_t index, int rank, int stream = 0) {
  return stream == 0 ? fmt::format("c{}r{}", index, rank)
                     : fmt::format("c{}r{}s{}", index, rank, stream);
}

/// Containers of a case, one for each stream of a rank that has spans: aliases and names.
std::vector<std::pair<std::string, std::string>> containers_of(std::size_t index,
                                                               const Report& report) {
  Table<bool> used(std::max<std::size_t>(1, report.stream_names.size()));
  used[0] = true;
  for (const Span& span : report.spans) used[span.stream] = true;
  std::vector<std::pair<std::string, std::string>> containers;
  for (const RankReport& rank : report.rank_reports)
    for (std::size_t stream = 0; stream < used.size(); ++stream) {
      if (!used[stream]) continue;
      std::string name = fmt::format("rank {} ({})", rank.rank, rank.host);
      if (!report.stream_names.empty()) name += ' ' + report.stream_names[stream];
      containers.emplace_back(rank_name(index, rank.rank, static_cast<int>(stream)), name);
    }
  return containers;
}

void add_states(std::size_t index, const Report& report, Lines& lines) {
  const auto set = [&](const Span& span, double at, RankActivity activity) {
    lines.add(at, fmt::format("6 {} doing {} doing_{}\n", at,
                              rank_name(index, span.rank, span.stream), activity_names[activity]));
  };
  const Span* before = nullptr;  // spans stand by rank, then by stream, then by time
  for (const Span& span : report.spans) {
    const bool same =
        before != nullptr && before->rank == span.rank && before->stream == span.stream;
    if (before != nullptr && (!same || before->end_s < span.start_s))
      set(*before, before->end_s, RankActivity::idle);
    set(span, span.start_s, span.activity);
    before = &span;
  }
  if (before != nullptr) set(*before, before->end_s, RankActivity::idle);
}

void add_chain(std::size_t index, const PathChain& chain, Lines& lines) {
  for (const ChainSegment& one : chain.segments)
    lines.add(one.start_s, fmt::format("6 {} cause c{}path cause_{}\n", one.start_s, index,
                                       cause_names[one.segment.cause]));
  std::size_t key = 0;
  for (const MessageSpan& message : chain.messages) {
    const auto line = [&](int kind, double at, int rank) {
      lines.add(at, fmt::format("{} {} message c{} {} \"{} B\" c{}m{}\n", kind, at, index,
                                rank_name(index, rank), message.bytes, index, key));
    };
    line(7, message.start_s, message.from);
    line(8, message.end_s, message.to);
    ++key;
  }
}

}  // namespace

std::string to_paje(std::span<const Report> reports) {
  std::string text = header();
  text += values("doing", activity_names) + values("cause", cause_names);
  Lines lines;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    text += fmt::format("4 0 c{} case 0 {}\n", i, quoted(shown_name(report)));
    for (const auto& [alias, name] : containers_of(i, report))
      text += fmt::format("4 0 {} rank c{} {}\n", alias, i, quoted(name));
    add_states(i, report, lines);
    if (report.chain) {
      text += fmt::format("4 0 c{}path path c{} \"critical path\"\n", i, i);
      add_chain(i, *report.chain, lines);
    }
  }
  text += lines.text();
  double end = 0;  // of all: lines stand in the order of their times
  for (const Report& report : reports) end = std::max(end, report.time_s);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (reports[i].chain) text += fmt::format("5 {} path c{}path\n", end, i);
    for (const auto& [alias, name] : containers_of(i, reports[i]))
      text += fmt::format("5 {} rank {}\n", end, alias);
    text += fmt::format("5 {} case c{}\n", end, i);
  }
  return text;
}

}  // namespace ringscope
