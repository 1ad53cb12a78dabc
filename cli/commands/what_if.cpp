#include "scenarios/answer/explain/what_if.hpp"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/explain.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/output_file.hpp"
#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

struct Arguments {
  CaseArguments cases;
  std::vector<std::string> only;
  std::string json;
  std::size_t top = 5;
};

/// `difference`: of the kernels, to which that of these runs is added.
std::vector<Gain> gains_of(const Scenario& scenario, const Report& report,
                           const Arguments& arguments,
                           std::optional<KernelDifference>& difference) {
  RunOptions options;
  options.keep_deadlock = true;
  const std::vector<Candidate> list = candidates(report, arguments.top);
  std::vector<Scenario> scenarios;
  for (const Candidate& one : list) scenarios.push_back(improved(scenario, one));
  auto [reports, of_these] = run_with(arguments.cases, scenarios, options);
  if (of_these) difference->merge(*of_these);
  std::vector<Gain> gains;
  for (std::size_t i = 0; i < list.size(); ++i) gains.push_back({list[i], std::move(reports[i])});
  sort_gains(gains);
  return gains;
}

void what_if(const Arguments& arguments) {
  const bool text = print_text({arguments.json});
  require_writable(arguments.json);
  const std::vector<Scenario> scenarios = only_cases(scenarios_of(arguments.cases), arguments.only);
  RunOptions options;
  options.keep_deadlock = true;
  auto [reports, difference] = run_with(arguments.cases, scenarios, options);
  Json cases = Json::array();
  std::string screen;
  std::vector<Report> never_ended;  // of the improved ones
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (reports[i].deadlock) continue;
    const std::vector<Gain> gains = gains_of(scenarios[i], reports[i], arguments, difference);
    cases.push_back(gains_json(reports[i], gains));
    screen += (screen.empty() ? "" : "\n") + print_gains(reports[i], gains);
    for (const Gain& gain : gains)
      if (gain.with.deadlock) never_ended.push_back(gain.with);
  }
  Json document = {{"schema", 1}, {"version", version()}, {"cases", cases}};
  add_stuck(reports, document);
  if (!arguments.json.empty()) write_output(arguments.json, document.dump(2) + '\n');
  if (text && !screen.empty()) write_output("-", screen);
  tell_difference(difference, text);
  reports.insert(reports.end(), never_ended.begin(), never_ended.end());
  refuse_stuck(reports);
}

}  // namespace

void add_what_if(Command& program) {
  Command command =
      program.add_subcommand("what-if", "What a run gains from twice as much of one thing");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(command, arguments->cases);
  add_case_option(command, arguments->only);
  command.add_option("--top", arguments->top, "how many things, by their time on the path")
      .between(1, 1000)
      .show_default();
  command.add_option("--json", arguments->json, "write the gains as JSON (scenarios/schema.md)");
  command.footer(
      "For each of the things that the critical path spends most time on, the run again with\n"
      "twice the capacity of that link, core, memory or lock, or with half of all latencies or\n"
      "overheads; the largest gain first. Of what cannot go on (a deadlock, exit code 3), a case "
      "or\n"
      "one of those runs, the JSON says under 'stuck' who waits for whom.\n\n"
      "Examples:\n"
      "  ringscope what-if 03-anomaly --case 4-3-1\n"
      "  ringscope what-if 02-ring-of-8 --set placement=2-2-2-2 --top 10");
  command.callback([arguments] { what_if(*arguments); });
}

}  // namespace ringscope
