// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/freshness_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/text/table.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {
namespace {

using Align = TextTable::Align;

double momentum_of(const Observation& staleness) { return 1 - 1 / (1 + staleness.mean); }

std::string staleness(const Observation& one) {
  return fmt::format(
      "  A gradient is applied to weights that {:.3g} updates of others have changed since its "
      "worker fetched them\n  (most: {:g}; synchronous servers: 0). Such updates act like an added "
      "momentum of about {:.2f}, 1 - 1/(1 + mean):\n  lower the optimiser's own momentum, or bound "
      "the staleness (stale_synchronous).\n",
      one.mean, one.most, momentum_of(one));
}

std::string pulls(const Observation& one) {
  std::string text;
  if (one.values.size() > 1 && one.values.front().first == 0)
    text += fmt::format(
        "  {} of {} pulls follow no step of their solver: they bring at most the steps of "
        "others.\n",
        one.values.front().second, one.count);
  constexpr double rounding = 0.005;
  if (one.mean > 1 + rounding)
    text += fmt::format(
        "  A solver makes {:.3g} steps from one pull to the next, on weights that miss as many of "
        "each other solver.\n",
        one.mean);
  return text;
}

const Observation* observed(const Report& report, std::string_view what) {
  const auto found =
      std::ranges::find_if(report.observations, [&](auto& one) { return one.what == what; });
  return found == report.observations.end() ? nullptr : &*found;
}

bool has_old_weights(const Report& report) {
  const Observation* staleness = observed(report, "staleness");
  return observed(report, "pull") != nullptr || (staleness != nullptr && staleness->mean > 0);
}

/// "-" where nobody observes it.
std::string cell(const Observation* one, double value) {
  return one != nullptr ? fmt::format("{:.3g}", value) : "-";
}

bool on_default_stream(const Report& report) {
  const Value* found = report.resolved.find("job");
  if (found != nullptr) found = found->find("options");
  if (found != nullptr) found = found->find("default_stream");
  return found != nullptr && found->text() != "0";
}

}  // namespace

std::string freshness_table(std::span<const Report> reports,
                            const std::vector<std::string>& names) {
  if (std::ranges::none_of(reports, has_old_weights)) return "";
  TextTable table({{"age of the weights", Align::left},
                   {"steps/s"},
                   {"pull"},
                   {"steps a pull"},
                   {"staleness"},
                   {"most"},
                   {"momentum"}});
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Observation* step = observed(reports[i], "step");
    const Observation* pull = observed(reports[i], "pull");
    const Observation* stale = observed(reports[i], "staleness");
    const bool timed = pull != nullptr && pull->median_interval_s > 0;
    table.add({names[i],
               cell(step, step ? static_cast<double>(step->count) / reports[i].time_s : 0),
               timed ? to_short_text(Seconds(pull->median_interval_s)) : "-",
               cell(pull, pull ? pull->mean : 0), cell(stale, stale ? stale->mean : 0),
               cell(stale, stale ? stale->most : 0), cell(stale, stale ? momentum_of(*stale) : 0)});
  }
  return '\n' + table.text(0) +
         "staleness: updates of others between a worker's fetch and its push; momentum: what they "
         "act "
         "like\n";
}

std::string freshness_text(const Report& report) {
  std::string text;
  for (const Observation& one : report.observations) {
    if (one.what == "staleness" && one.mean > 0) text += staleness(one);
    if (one.what == "pull") text += pulls(one);
  }
  if (on_default_stream(report))
    text +=
        "  Kernels and copies share the default stream: each copy waits for the kernels launched "
        "before it.\n";
  return text;
}

}  // namespace ringscope
