// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/lesson/lesson_case.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scenarios/answer/recording.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope::lesson {
int tick(double seconds, double whole_s) {
  if (whole_s <= 0) return 0;
  return static_cast<int>(std::lround(std::clamp(seconds / whole_s, 0.0, 1.0) * ticks));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0, at = 0; i < bytes.size(); i += 3, at += 4) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
    for (std::size_t j = 0; j < 4 && i + j <= bytes.size(); ++j)
      text[at + j] = digits[group >> (18 - 6 * j) & 63];
  }
  return text;
}

// Start of each step by the first rank, and its end by the last one; in the order of their ends.
Json steps_json(const Report& report) {
  struct Step {
    double start = 0, end = 0;
  };
  std::map<std::pair<int, int>, Step> steps;
  auto place = steps.end();
  for (const Span& span : report.spans) {
    if (span.phase < 0) continue;
    // Spans of a rank are in order: mostly of the same step as the one before.
    const std::pair name(span.phase, span.step);
    if (place == steps.end() || place->first != name)
      place = steps.try_emplace(place, name, Step{span.start_s, span.end_s});
    place->second.start = std::min(place->second.start, span.start_s);
    place->second.end = std::max(place->second.end, span.end_s);
  }
  std::vector<std::tuple<double, double, std::string_view, int>> ordered;
  for (const auto& [name, step] : steps)
    ordered.emplace_back(step.end, step.start, report.phases.begin()[name.first].name, name.second);
  std::ranges::sort(ordered);
  Json list = Json::array();
  for (const auto& [end, start, phase, step] : ordered)
    list.push_back({{"phase", phase},
                    {"step", step},
                    {"start", tick(start, report.time_s)},
                    {"end", tick(end, report.time_s)}});
  return list;
}

Json case_json(const Scenario& scenario, const Report& report) {
  const Recording& recording = *report.recording;
  Json shown = to_json(report);
  for (const char* key : {"scenario", "wall_s", "peak_rss_bytes"}) shown.erase(key);
  Json path_words = Json::array();
  for (const PathSegment& one : report.path) path_words.push_back(segment_words(one));
  return {{"report", std::move(shown)},
          {"about", scenario.cluster.about},
          {"machine", machine_json(scenario, recording)},
          {"loads", loads_json(recording, report.time_s, report.ranks)},
          {"chunks", chunks_json(scenario, recording, report.time_s)},
          {"spans", spans_json(report)},
          {"steps", steps_json(report)},
          {"follows", followed(report)},
          {"messages", messages_json(report)},
          {"path", path_json(report)},
          {"path_words", std::move(path_words)},
          {"blocks", scenario.library.blocks.has_value()}};
}

}  // namespace ringscope::lesson
