// SPDX-License-Identifier: LGPL-2.1-or-later
// The measurement of all ranks from that of those which are simulated; see sim/machine/orbits.hpp.
#pragma once

#include "base/view.hpp"
#include "sim/insight/measurement.hpp"

namespace ringscope::sim {

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
