// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks, channels, steps and repetitions of a run that stand for others.
#pragma once

#include <memory>
#include <optional>

#include "base/table.hpp"
#include "sim/alike/alike_ranks.hpp"
#include "sim/ranks/rank_thread.hpp"
#include "sim/run_options.hpp"

namespace ringscope::sim {

/// Whether the run is to be of some ranks that stand for all, and why not.
Alike alike_for(const Scenario& scenario, const RunOptions& options);

/// True if steps and repetitions that come back may be skipped: never where each is to be seen.
bool may_skip(const Scenario& scenario, const RunOptions& options);

/// Nothing where all channels are to be simulated. `options`: the job's, with its hosts; `ranks`:
/// those that are simulated.
std::optional<ChannelFold> channel_fold(const Scenario& scenario, const Options& options,
                                        Machine& machine, Ledger& ledger,
                                        View<const std::unique_ptr<RankThread>> ranks);

}  // namespace ringscope::sim
