// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/stream_text.hpp"

#include <fmt/format.h>

#include "scenarios/answer/text/table.hpp"
#include "topologies/input/plural.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {
namespace {

using Align = Table::Align;

}  // namespace

std::string streams_text(const Report& report) {
  const TimeScale scale(report.time_s);
  Table table({{"stream", Align::left},
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

}  // namespace ringscope
