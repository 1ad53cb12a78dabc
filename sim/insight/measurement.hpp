// SPDX-License-Identifier: LGPL-2.1-or-later
// From the accounts of one repetition to the report of a case.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "sim/alike/steady_state.hpp"

namespace ringscope::sim {

/// Number of resources that a report has, beside links.
inline constexpr std::size_t busiest = 10;
/// Adds the busiest link inside a host, and the busiest between hosts, where none is listed: of
/// thousands of GPUs that are as busy, nobody would see a link. `all`: the busiest first.
void add_busiest_links(std::vector<ResourceReport>& listed, std::span<const ResourceReport> all);

/// Result of one repetition.
struct Measurement : RunParts {
  double time_s = 0;
  Traffic traffic;
  Table<RankReport> ranks;
  SteadyState::Skipped skipped;
  int repeated = 0;  ///< further repetitions that were not simulated, since they are this one again
};

/// Measures the foreground job's ranks of `ranks`. `start`: when the repetition began;
/// `used_before`: what each resource had been used by then.
Measurement measure(const Run& run, std::span<const std::unique_ptr<RankThread>> ranks,
                    double start, const Table<double>& used_before);

/// The report tells of the repetition whose time is the median (the lower of two).
Report report_of(const Scenario& scenario, std::vector<Measurement> measurements);

// The measurement of all ranks from that of those which are simulated; see sim/machine/orbits.hpp.

/// Adds the observations of all other hosts' ranks, which are those of the first one's.
void unfold(std::vector<Observed>& observed, const Orbits& orbits);

/// Rows for all ranks, the messages of all, and the busiest resources of all hosts. The critical
/// path stays that through the ranks which are simulated: each of its segments is one of a rank
/// like the one that it names.
void unfold(Measurement& measured, const Machine& machine);

/// A rank ends with the last of its blocks, also where others stand for these.
void wait_for_likes(std::vector<RankReport>& reports, const ChannelFold& fold,
                    View<const std::unique_ptr<RankThread>> ranks, double start);

}  // namespace ringscope::sim
