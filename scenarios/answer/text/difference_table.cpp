// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/difference_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/text/table.hpp"

namespace ringscope {

std::string smaller_ones(std::size_t count) {
  return fmt::format("{} smaller {}", count, count == 1 ? "one" : "ones");
}

namespace {

/// Times above are those of a step, and these of all.
std::string steps_of_both(const Report& first, const Report& other) {
  if (!first.training || !other.training) return "";
  const int steps = first.training->steps;
  return steps > 1 && steps == other.training->steps ? fmt::format(" of {} steps", steps) : "";
}

}  // namespace

std::string difference_table(const Report& first, const Report& other,
                             std::span<const std::string> names, std::span<const Difference> rows,
                             std::optional<std::size_t> most) {
  const TimeScale scale(std::max(first.time_s, other.time_s));
  const auto [heading, other_heading] = short_headings(names[0], names[1]);
  TextTable table(
      {{"difference"}, {other_heading}, {heading}, {"spent on", TextTable::Align::left}});
  double sum = 0, shown_sum = 0;
  const auto add = [&](double first_s, double other_s, const std::string& what) {
    sum += other_s - first_s;
    const double step = scale.rounded(sum) - shown_sum;
    shown_sum = scale.rounded(sum);
    table.add({scale.difference(step), scale.text(other_s), scale.text(first_s), what});
  };
  const auto first_small = std::find_if(rows.begin(), rows.end(), [&](const Difference& row) {
    return scale.rounded(row.seconds()) == 0;
  });
  const std::size_t shown =
      most ? std::min(*most, static_cast<std::size_t>(first_small - rows.begin())) : rows.size();
  for (const Difference& row : rows.first(shown)) add(row.first_s, row.other_s, row.spent_on);
  double first_rest = 0, other_rest = 0;
  for (const Difference& row : rows.subspan(shown)) {
    first_rest += row.first_s;
    other_rest += row.other_s;
  }
  if (shown < rows.size()) add(first_rest, other_rest, smaller_ones(rows.size() - shown));
  table.add({scale.difference(shown_sum), scale.text(other.time_s), scale.text(first.time_s),
             "sum" + steps_of_both(first, other)});
  return table.text(2);
}

}  // namespace ringscope
