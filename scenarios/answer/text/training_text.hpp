// SPDX-License-Identifier: LGPL-2.1-or-later
// A step of a training job as a screen: its parts, where the devices' time goes, their memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// A part of a training step, as a column of a table.
struct StepPart {
  const char* header;
  bool exposed;  ///< communication
  double (*of)(const TrainingReport&);
};

/// The parts that are worth a column in any of the jobs. All of them add up to `step_s`.
std::vector<StepPart> step_parts(std::span<const TrainingReport* const> jobs);

/// "step = busy + exposed communication (tp, dp) + bubble", and a newline.
std::string sum_of_parts(const std::vector<StepPart>& parts);

/// Time of a whole training: "46.3 s", "69.4 min", "20.1 h", "5.2 days".
std::string duration_text(double seconds);

/// Advice where the critical path waits for Horovod's next cycle, or nothing.
std::string cycle_text(const Report& report);

/// `ranks`: the devices, for the least and the most of each group.
std::string training_text(const TrainingReport& report, std::span<const RankReport> ranks);

}  // namespace ringscope
