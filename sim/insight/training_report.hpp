// What the devices of a training job observed, as the shares of a step.
#pragma once

#include <optional>
#include <span>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// `start`: when the repetition began. Nothing for other jobs.
std::optional<TrainingReport> training_report(const Run& run, double start);

/// Of what a training job observes only the ends of steps are news to a reader.
std::vector<Observed> worth_reporting(const Run& run);

}  // namespace ringscope::sim
