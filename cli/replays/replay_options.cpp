#include "cli/replays/replay_options.hpp"

#include <utility>

namespace ringscope {

void add_scenario_arguments(CLI::App& replay, ScenarioArguments& arguments) {
  replay.add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      ->required();
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

void add_timing_options(CLI::App& replay, StoppingRule& stop, int& warmups) {
  const CLI::Range counts(1, 1000000), shares(1e-6, 1 - 1e-6);
  const auto add = [&replay](const char* name, auto& value, const char* help) {
    return replay.add_option(name, value, help)->capture_default_str();
  };
  add("--repetitions", stop.least, "samples per case, at least")->check(counts);
  add("--max-repetitions", stop.most, "samples per case, at most; --repetitions goes before it")
      ->check(counts);
  add("--precision", stop.precision,
      "enough, when the median's confidence interval reaches this share of it to either side")
      ->check(CLI::PositiveNumber);
  add("--confidence", stop.confidence, "of that interval")->check(shares);
  add("--budget", stop.budget_s, "seconds after which a case gets no more samples than the least")
      ->check(CLI::PositiveNumber);
  add("--warmups", warmups, "runs before the samples")->check(CLI::Range(0, 1000000));
}

}  // namespace ringscope
