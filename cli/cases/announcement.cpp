// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/announcement.hpp"

#include <algorithm>

namespace ringscope {
namespace {

std::string text_of(double seconds) { return to_short_text(Seconds(seconds), 2); }

}  // namespace

std::string what_to_lower(const Scenario& scenario, const Estimate& estimate,
                          const RunOptions& options) {
  std::string text = what_to_lower(scenario, estimate.repetitions);
  if (estimate.contended && options.kernel == "fluid" && options.tolerance == 0)
    text += ", or ask for --tolerance 0.1%";
  return text;
}

void announce(std::span<const Case> cases, const RunOptions& options, bool on_simgrid, double times,
              int at_once, ProgressBar& bar) {
  // Nobody knows before how many steps will be alike.
  const std::string at_most = !on_simgrid && options.skip ? "at most" : "some";
  double sum = 0, longest = 0;
  std::string lower;
  for (const Case& one : cases) {
    const Scenario& scenario = *one.scenario;
    const Estimate& estimate = one.estimate;
    sum += estimate.seconds;
    if (estimate.seconds > longest) lower = what_to_lower(scenario, estimate, options);
    longest = std::max(longest, estimate.seconds);
    if (estimate.seconds < long_s) continue;
    bar.say("{}: {}, {} {} of computing and {} of memory; to reduce it, lower {}", scenario.name,
            in_words(estimate), at_most, text_of(estimate.seconds),
            to_short_text(Bytes{static_cast<std::uint64_t>(estimate.memory_bytes)}, 2),
            what_to_lower(scenario, estimate, options));
  }
  const double count = static_cast<double>(cases.size()) * times;
  const double all = sum * times / std::min(static_cast<double>(at_once), count);
  if (all < long_s || (longest >= long_s && all < 2 * longest)) return;
  bar.say("{:.0f} simulations, {} {}; to reduce it, ask for fewer, or lower {}", count, at_most,
          text_of(all), lower);
}

}  // namespace ringscope
