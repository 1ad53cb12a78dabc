// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_tables.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_rows = 12;
constexpr std::size_t most_segments = 8;  // at each end of the chain
using Align = TextTable::Align;

/// Text in lines of at most 100 columns.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 100;
  std::string lines;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (text.compare(end, 2, " %") == 0) end = std::min(text.find(' ', end + 1), text.size());
    if (column > 0 && column + 1 + end - at > width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines.append(text, at, end - at);
    column += end - at;
    at = end + 1;
  }
  return lines + '\n';
}

std::string blame_table(const Report& report, bool all) {
  const std::vector<Blamed> rows = blames(report);
  const TimeScale scale(report.time_s);
  TextTable table({{"time"}, {"share"}, {"spent on", Align::left}});
  const auto add = [&](double seconds, const std::string& what) {
    table.add({scale.text(seconds), fmt::format("{:.1f} %", 100 * seconds / report.time_s), what});
  };
  const auto first_small = std::find_if(rows.begin(), rows.end(), [&](const Blamed& one) {
    return scale.rounded(one.segment.seconds) == 0;
  });
  const std::size_t shown =
      all ? rows.size() : std::min(most_rows, static_cast<std::size_t>(first_small - rows.begin()));
  for (std::size_t i = 0; i < shown; ++i) add(rows[i].segment.seconds, blame_text(rows[i]));
  double rest = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) rest += rows[i].segment.seconds;
  if (shown < rows.size()) add(rest, smaller_ones(rows.size() - shown));
  std::string text = table.text(2);
  if (report.path_reduced)
    text += "  The path is long: its smaller segments are sums by cause, without their places.\n";
  return text;
}

std::string chain_table(const Report& report, bool all) {
  const PathChain& chain = *report.chain;
  const TimeScale scale(report.time_s);
  TextTable table({{"from"}, {"for"}, {"spent on", Align::left}});
  const std::size_t count = chain.segments.size();
  const bool whole = all || count <= 2 * most_segments + 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!whole && i == most_segments) {
      const std::size_t left_out = count - 2 * most_segments;
      table.add({"...", "", fmt::format("{} segments; --all shows them", left_out)});
      i += left_out;
    }
    const ChainSegment& one = chain.segments[i];
    table.add({one.start_s == 0 ? "0 s" : scale.text(one.start_s), scale.text(one.segment.seconds),
               blame_text(blamed(one))});
  }
  std::string text = "\n  The chain from the start to the last rank's end, in order\n";
  if (chain.begin_s > 0)
    text += fmt::format("  It is long: in order from {} on, before that its sums are known.\n",
                        to_short_text(Seconds(chain.begin_s)));
  return text + table.text(2);
}

std::string one_explanation(const Report& report, const std::string& name, bool all) {
  if (report.time_s == 0) return name + ": it took no time\n";
  std::string text = wrapped(fmt::format("{} takes {}: {}.", name,
                                         to_short_text(Seconds(report.time_s)), reason(report))) +
                     "\n  Where the time of the critical path went\n" + blame_table(report, all);
  if (report.chain) text += chain_table(report, all);
  return text;
}

std::vector<Difference> rows_of(const std::vector<BlameDifference>& list) {
  std::vector<Difference> rows;
  for (const BlameDifference& one : list)
    rows.push_back({blame_text(one.blamed), {}, one.first_s, one.other_s});
  return rows;
}

}  // namespace

std::string print_explanation(std::span<const Report> reports, bool all) {
  const std::vector<std::string> names = short_names(reports);
  std::vector<std::size_t> ended;
  std::string stuck;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].deadlock)
      ended.push_back(i);
    else
      stuck += '\n' + names[i] + " is stuck.\n";
  }
  if (ended.empty()) return "";
  const std::size_t first = ended[0];
  std::string text;
  for (const std::size_t i : std::span(ended).subspan(1)) {
    const std::vector<std::string> pair = {names[first], names[i]};
    if (!text.empty()) text += '\n';
    text += wrapped(difference_reason(reports[first], reports[i], pair) + '.');
    const std::vector<Difference> rows = rows_of(blame_differences(reports[first], reports[i]));
    text += '\n' + difference_table(reports[first], reports[i], pair, rows,
                                    all ? std::nullopt : std::optional(most_rows));
  }
  const bool alone = ended.size() == 1;
  for (const std::size_t i : ended)
    if (all || alone) text += (alone ? "" : "\n") + one_explanation(reports[i], names[i], all);
  return text + stuck;
}

}  // namespace ringscope
