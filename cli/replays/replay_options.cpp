// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/replays/replay_options.hpp"

#include <utility>

namespace ringscope {

void add_scenario_arguments(Command& replay, ScenarioArguments& arguments) {
  replay.add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      .required();
  replay.add_option("--set", arguments.changes, "KEY=VALUE, as for ringscope run");
}

std::vector<Scenario> read_all(const ScenarioArguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& change : arguments.changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> cases;
  for (const std::string& name : arguments.scenarios)
    for (Scenario& one : read_scenarios(name, overrides)) cases.push_back(std::move(one));
  return cases;
}

void add_timing_options(Command& replay, RepetitionRule& rule) {
  constexpr int most = 1000000;
  const auto add = [&replay](const char* name, auto& value, const char* help) {
    return replay.add_option(name, value, help).show_default();
  };
  add("--repetitions", rule.stop.least, "samples per case, at least").between(1, most);
  add("--max-repetitions", rule.stop.most,
      "samples per case, at most; --repetitions goes before it")
      .between(1, most);
  add("--precision", rule.stop.precision,
      "enough, when the median's confidence interval reaches this share of it to either side")
      .above_zero();
  add("--confidence", rule.stop.confidence, "of that interval").between(1e-6, 1 - 1e-6);
  add("--budget", rule.stop.budget_s,
      "seconds after which a case gets no more samples than the least")
      .above_zero();
  add("--warmups", rule.warmups, "runs before the samples").between(0, most);
}

}  // namespace ringscope
