// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/lesson/lesson_case.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::lesson {
namespace {

/// `about` of the indices of any two cases, as the reader may choose: [first][other].
Json of_any_two(std::size_t count, auto about) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < count; ++first)
    for (std::size_t other = 0; other < count; ++other) rows[first].push_back(about(first, other));
  return rows;
}

Json difference(const Report& first, const Report& other) {
  return &first == &other || first.deadlock || other.deadlock ? Json::array()
                                                              : differences_json(first, other);
}

std::string sentence(const Report& first, const Report& other,
                     const std::vector<std::string>& names) {
  const auto words = [](const Report& report, const std::string& name) {
    return report.deadlock
               ? fmt::format("{} {}", name, stuck_words(report))
               : fmt::format("{} takes {}", name, to_short_text(Seconds(report.time_s)));
  };
  if (first.deadlock || other.deadlock)
    return &first == &other ? stuck_words(first)
                            : words(first, names[0]) + "; " + words(other, names[1]);
  if (first.time_s <= 0 || other.time_s <= 0) return "it takes no time";
  return &first == &other ? reason(first) : difference_reason(first, other, names);
}

}  // namespace

Json page_data(const std::vector<Report>& reports, std::vector<Json> cases,
               const std::string& question, Json words) {
  const std::vector<std::string> names = short_names(reports);
  const auto differences = [&](auto i, auto k) { return difference(reports[i], reports[k]); };
  const auto reasons = [&](auto i, auto k) {
    return sentence(reports[i], reports[k], {names[i], names[k]});
  };
  return {{"schema", 1},
          {"version", version()},
          {"question", question},
          {"words", std::move(words)},
          {"ticks", ticks},
          {"cases", std::move(cases)},
          {"names", names},
          {"differences", of_any_two(reports.size(), differences)},
          {"reasons", of_any_two(reports.size(), reasons)}};
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
