// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/lesson/lesson_data.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::lesson {
namespace {

/// Differences of any two cases, as the reader may choose: [first][other].
Json all_differences(const std::vector<Report>& reports) {
  Json rows = Json::array();
  for (const Report& first : reports) {
    Json row = Json::array();
    for (const Report& other : reports)
      row.push_back(&first == &other || first.deadlock || other.deadlock
                        ? Json::array()
                        : differences_json(first, other));
    rows.push_back(row);
  }
  return rows;
}

Json path_words(const Report& report) {
  Json words = Json::array();
  for (const PathSegment& segment : report.path) words.push_back(segment_text(segment));
  return words;
}

std::string stuck_sentence(const Report& first, const Report& other,
                           const std::vector<std::string>& names) {
  if (&first == &other) return stuck_words(first);
  const auto words = [](const Report& report, const std::string& name) {
    return report.deadlock
               ? fmt::format("{} {}", name, stuck_words(report))
               : fmt::format("{} takes {}", name, to_short_text(Seconds(report.time_s)));
  };
  return words(first, names[0]) + "; " + words(other, names[1]);
}

std::string sentence(const Report& first, const Report& other,
                     const std::vector<std::string>& names) {
  if (first.deadlock || other.deadlock) return stuck_sentence(first, other, names);
  if (first.time_s <= 0 || other.time_s <= 0) return "it takes no time";
  return &first == &other ? reason(first) : difference_reason(first, other, names);
}

/// A sentence for each case, and for each two.
Json reasons_json(const std::vector<Report>& reports) {
  const std::vector<std::string> names = short_names(reports);
  Json rows = Json::array();
  for (std::size_t first = 0; first < reports.size(); ++first) {
    Json row = Json::array();
    for (std::size_t other = 0; other < reports.size(); ++other) {
      row.push_back(sentence(reports[first], reports[other], {names[first], names[other]}));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Json page_data(const std::vector<Report>& reports, std::vector<Json> cases,
               const std::string& question, Json words) {
  for (std::size_t i = 0; i < reports.size(); ++i) cases[i]["path_words"] = path_words(reports[i]);
  return {{"schema", 1},
          {"version", version()},
          {"question", question},
          {"words", std::move(words)},
          {"ticks", ticks},
          {"cases", std::move(cases)},
          {"names", short_names(reports)},
          {"differences", all_differences(reports)},
          {"reasons", reasons_json(reports)}};
}

std::array<int, 2> opening_pair(const Value& file, const std::vector<std::string>& names) {
  std::array<int, 2> pair{0, names.size() > 1 ? 1 : -1};
  const Value* compare = file.find("compare");
  if (compare == nullptr || compare->is_null()) return pair;
  std::array<int, 2> found{-1, -1};
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t side = 0; side < found.size(); ++side) {
      const std::string name = " " + compare->items()[side].text();
      if (names[i].ends_with(name) || names[i].find(name + " but ") != std::string::npos)
        found[side] = static_cast<int>(i);
    }
  return found[0] >= 0 && found[1] >= 0 ? found : pair;
}

Json words_above(const std::string& yaml) {
  Json paragraphs = Json::array();
  std::istringstream lines(yaml);
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) paragraphs.push_back(std::exchange(paragraph, {}));
  };
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const std::size_t word = line.find_first_not_of("# \t");
    if (word == std::string::npos) {
      end_paragraph();
      continue;
    }
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line.substr(word);
  }
  end_paragraph();
  return paragraphs;
}

}  // namespace ringscope::lesson
