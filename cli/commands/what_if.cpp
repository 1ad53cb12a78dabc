// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/explain/explain.hpp"

#include <nlohmann/json.hpp>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

struct WhatIfArguments {
  CaseArguments cases;
  std::string json;
  std::size_t top = 5;
};

/// The gains that are known; to `all`, what its difference of the kernels and ^C have to say.
std::vector<Gain> gains_of(const Scenario& scenario, const Report& report,
                           const WhatIfArguments& arguments, const BarShare& share, Answer& all) {
  RunOptions options;
  options.keep_deadlock = true;
  const std::vector<Candidate> list = candidates(report, arguments.top);
  std::vector<Scenario> scenarios;
  for (const Candidate& one : list) scenarios.push_back(improved(scenario, one));
  Answer answer = run_with(arguments.cases, scenarios, share, options);
  if (answer.difference && all.difference) all.difference->merge(*answer.difference);
  all.interrupted = answer.interrupted;
  std::vector<Gain> gains;
  std::size_t next = 0;
  for (std::size_t i = 0; i < list.size() && next < answer.reports.size(); ++i)
    if (answer.reports[next].name == scenarios[i].name)
      gains.push_back({list[i], std::move(answer.reports[next++])});
  sort_gains(gains);
  return gains;
}

void what_if(const WhatIfArguments& arguments) {
  const bool text = print_text({arguments.json});
  ProgressBar bar("reading");
  const std::vector<Scenario> scenarios = scenarios_of(arguments.cases);
  RunOptions options;
  options.keep_deadlock = true;
  const double once = 1.0 / static_cast<double>(1 + arguments.top);
  Answer answer = run_with(arguments.cases, scenarios, {&bar, 0, once}, options);
  std::vector<Report>& reports = answer.reports;
  if (!answer.interrupted.empty()) throw Failure(ExitCode::interrupted, answer.interrupted);
  Json cases = Json::array();
  std::string screen;
  std::vector<Report> never_ended;  // of the improved ones
  const double each = (1 - once) / static_cast<double>(scenarios.size());
  for (std::size_t i = 0; i < scenarios.size() && answer.interrupted.empty(); ++i) {
    if (reports[i].deadlock) continue;
    const double begin = once + each * static_cast<double>(i);
    const std::vector<Gain> gains =
        gains_of(scenarios[i], reports[i], arguments, {&bar, begin, begin + each}, answer);
    if (gains.empty() && !answer.interrupted.empty()) break;
    cases.push_back(gains_json(reports[i], gains));
    screen += (screen.empty() ? "" : "\n") + print_gains(reports[i], gains);
    for (const Gain& gain : gains)
      if (gain.with.deadlock) never_ended.push_back(gain.with);
  }
  Json document = {{"schema", 1}, {"version", version()}, {"cases", cases}};
  add_stuck(reports, document);
  begin_writing(bar, text);
  if (!arguments.json.empty()) write_output(arguments.json, document.dump(2) + '\n');
  reports.insert(reports.end(), never_ended.begin(), never_ended.end());
  end_answer(answer, bar, text, screen, command_on("lesson", arguments.cases) + " -o page.html");
}

}  // namespace

void add_what_if(Command& program) {
  auto [command, arguments] = program.add_subcommand("what-if", what_if);
  add_case_arguments(command, arguments.cases);
  command.add_option("--top", arguments.top).between(1, 1000).show_default();
  command.add_option("--json", arguments.json);
}

}  // namespace ringscope
