// SPDX-License-Identifier: LGPL-2.1-or-later
// Arguments shared by the replays on every executor.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/words.hpp"
#include "scenarios/question/scenario.hpp"
#include "validation/executors/stopping.hpp"

namespace ringscope {

struct ScenarioArguments {
  std::vector<std::string> scenarios, changes;
};

/// SCENARIO... and --set.
void add_scenario_arguments(Command& replay, ScenarioArguments& arguments);
std::vector<Scenario> read_all(const ScenarioArguments& arguments);

/// --repetitions, --max-repetitions, --precision, --confidence, --budget and --warmups.
void add_timing_options(Command& replay, RepetitionRule& rule);

}  // namespace ringscope
