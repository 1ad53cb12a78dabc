// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/stream_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/answer/text/table.hpp"
#include "topologies/input/plural.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {
namespace {

using Align = TextTable::Align;

constexpr std::size_t most_samples = 16;  // more are in the JSON

}  // namespace

std::string streams_text(const Report& report) {
  const TimeScale scale(report.time_s);
  TextTable table({{"stream", Align::left},
                   {"spends", Align::left},
                   {"mean"},
                   {"of all"},
                   {"least"},
                   {"most"}});
  for (const StreamReport& stream : report.streams) {
    std::string name = stream.name;
    if (stream.ranks < report.ranks) name += fmt::format(" ({})", plural(stream.ranks, "rank"));
    for (const StreamReport::Spent& spent : stream.spent) {
      table.add({name, spent.on, scale.text(spent.mean_s),
                 fmt::format("{:.1f} %", 100 * spent.mean_s / report.time_s),
                 scale.text(spent.least_s), scale.text(spent.most_s)});
      name.clear();
    }
  }
  return "\n  What each stream of a rank does, on average\n" + table.text(2);
}

std::string samples_text(const Report& report) {
  std::vector<TextTable::Column> heads = {{"sampled", Align::left}, {"mean"}};
  const std::vector<SampleReport>& all = report.samples;
  for (std::size_t i = 1; i <= all.front().percent.size(); ++i)
    heads.push_back({std::to_string(i)});
  TextTable table(heads);
  const std::size_t shown = std::min(most_samples, all.size());
  for (const SampleReport& one : std::span(all).first(shown)) {
    const auto count = static_cast<double>(one.percent.size());
    const double sum = std::accumulate(one.percent.begin(), one.percent.end(), 0.0);
    std::vector<std::string> cells = {one.name, fmt::format("{:.0f}", sum / count)};
    for (const double percent : one.percent) cells.push_back(fmt::format("{:.0f}", percent));
    table.add(std::move(cells));
  }
  const auto windows = static_cast<double>(all.front().percent.size());
  return fmt::format(
             "\n  Loads in %, in windows of {}: GPUs as nvidia-smi has them, hosts as top\n",
             to_short_text(Seconds(report.time_s / windows))) +
         table.text(2) +
         (shown < all.size()
              ? fmt::format("  ... and {} more: --json has them all\n", all.size() - shown)
              : "");
}

}  // namespace ringscope
