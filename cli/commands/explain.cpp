#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/explain.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/output_file.hpp"
#include "scenarios/answer/explain/explain.hpp"

namespace ringscope {
namespace {

struct Arguments {
  CaseArguments cases;
  std::vector<std::string> only;
  std::string json;
  bool all = false;
};

void explain(const Arguments& arguments) {
  const bool text = print_text({arguments.json});
  require_writable(arguments.json);
  ProgressBar bar("reading");
  const std::vector<Scenario> scenarios = only_cases(scenarios_of(arguments.cases), arguments.only);
  RunOptions options;
  options.record_chain = options.keep_deadlock = true;
  options.path_limit = long_path_limit;
  const Answer answer = run_with(arguments.cases, scenarios, {&bar}, options);
  const std::vector<Report>& reports = answer.reports;
  begin_writing(bar, text);
  if (!arguments.json.empty()) write_output(arguments.json, explanation(reports).dump(2) + '\n');
  const std::string screen = print_explanation(reports, arguments.all);
  bar.end();
  if (text && !screen.empty()) write_output("-", screen);
  tell_difference(answer.difference, text);
  refuse_unended(answer);
}

}  // namespace

void add_case_option(Command& subcommand, std::vector<std::string>& only) {
  subcommand.add_option("--case", only, "NAME: only this case of the scenarios, such as 4-3-1")
      .one_word();
}

std::vector<Scenario> only_cases(std::vector<Scenario> scenarios,
                                 const std::vector<std::string>& only) {
  if (only.empty()) return scenarios;
  std::vector<std::string> known;
  for (const Scenario& scenario : scenarios) known.push_back(scenario.name);
  std::vector<Scenario> chosen;
  for (const std::string& name : only) {
    const auto fits = [&](const Scenario& scenario) {
      return scenario.name == name || scenario.name.ends_with(' ' + name);
    };
    const auto found = std::find_if(scenarios.begin(), scenarios.end(), fits);
    if (found == scenarios.end())
      throw Failure(ExitCode::bad_input, "--case: " + unknown_name("case", name, known));
    chosen.push_back(*found);
  }
  return chosen;
}

void add_explain(Command& program) {
  Command command = program.add_subcommand(
      "explain", "Why a run takes so long: its critical path, blamed; of two, the difference");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(command, arguments->cases);
  add_case_option(command, arguments->only);
  command.add_flag("--all", arguments->all, "leave nothing out: all rows, and the whole chain");
  command.add_option("--json", arguments->json, "write everything as JSON (scenarios/schema.md)");
  command.footer(
      "Of one case: a sentence, where the time of the critical path went, and the path in its\n"
      "order. Of several: how each differs from the first that ends. Cases that cannot go on (a\n"
      "deadlock, exit code 3) are named; the JSON has them under 'stuck'.\n\n"
      "Examples:\n"
      "  ringscope explain 03-anomaly\n"
      "  ringscope explain 03-anomaly --case 4-3-1\n"
      "  ringscope explain 02-ring-of-8 --set placement=2-2-2-2 --all\n"
      "  ringscope explain 03-anomaly --json why.json");
  command.callback([arguments] { explain(*arguments); });
}

}  // namespace ringscope
