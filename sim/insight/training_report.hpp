// SPDX-License-Identifier: LGPL-2.1-or-later
// Shares of a training step, from the observations of its devices.
#pragma once

#include <optional>
#include <span>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// `start`: when the repetition began, which took `time_s`; `ranks`: its accounts. Nothing for
/// other jobs.
std::optional<TrainingReport> training_report(const Run& run, double start, double time_s,
                                              std::span<const RankReport> ranks);

/// The means over the ranks of their groups.
std::vector<GroupReport> mean_groups(std::span<const RankReport> ranks);

/// Observations of a training job that are news to a reader: only the ends of steps.
std::vector<Observed> worth_reporting(const Run& run);

}  // namespace ringscope::sim
