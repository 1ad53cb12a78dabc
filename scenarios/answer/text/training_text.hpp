// SPDX-License-Identifier: LGPL-2.1-or-later
// A step of a training job as a screen: its parts, where the devices' time goes, their memory.
#pragma once

#include <span>
#include <string>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// `ranks`: the devices, for the least and the most of each group.
std::string training_text(const TrainingReport& report, std::span<const RankReport> ranks);

}  // namespace ringscope
