#include "cli/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/progress_bar.hpp"

namespace ringscope {
namespace {

/// Two cases of one name, from two files or from one twice, would be one in a table or a timeline:
/// the second becomes "name (2)".
void tell_apart(std::vector<Scenario>& scenarios) {
  std::set<std::string> taken;
  for (Scenario& scenario : scenarios) {
    const std::string name = scenario.name;
    for (int count = 2; !taken.insert(scenario.name).second; ++count)
      scenario.name = fmt::format("{} ({})", name, count);
  }
}

}  // namespace

void add_case_arguments(CLI::App& subcommand, CaseArguments& arguments) {
  subcommand.add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      ->required();
  subcommand
      .add_option("--set", arguments.changes,
                  "KEY=VALUE: overrides a key of every scenario, such as job.bytes=64MiB")
      ->allow_extra_args(false);
  subcommand.add_option("--kernel", arguments.kernel, "what simulates")->capture_default_str();
  subcommand.add_flag("--no-skip", arguments.no_skip,
                      "simulate every step, also where the fluid kernel finds that they repeat");
}

std::vector<Scenario> scenarios_of(const CaseArguments& arguments) {
  const auto known = kernel_names();
  if (std::find(known.begin(), known.end(), arguments.kernel) == known.end()) {
    const std::vector<std::string> names(known.begin(), known.end());
    throw Failure(ExitCode::bad_input,
                  "--kernel: " + unknown_name("kernel", arguments.kernel, names));
  }
  std::vector<Override> overrides;
  for (const std::string& change : arguments.changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> scenarios;
  for (const std::string& name : arguments.scenarios) {
    for (Scenario& scenario : read_scenarios(name, overrides)) {
      scenarios.push_back(std::move(scenario));
    }
  }
  tell_apart(scenarios);
  return scenarios;
}

std::vector<Report> run_with(const CaseArguments& arguments, const std::vector<Scenario>& scenarios,
                             RunOptions options, const Simulate& one) {
  ProgressBar bar;
  options.kernel = arguments.kernel;
  options.skip = !arguments.no_skip;
  options.progress = [&bar](double done) { bar.show(done); };
  return run_cases(scenarios, options, one);
}

std::vector<Report> run_cases_of(const CaseArguments& arguments, bool record) {
  RunOptions options;
  options.record_spans = options.record_chain = record;
  if (record) options.path_limit = long_path_limit;
  return run_with(arguments, scenarios_of(arguments), options);
}

bool print_text(const std::vector<std::string>& files) {
  const auto to_standard_output = std::count(files.begin(), files.end(), "-");
  if (to_standard_output > 1) {
    throw Failure(ExitCode::bad_input, "only one file can go to standard output ('-')");
  }
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (!file->empty() && std::find(files.begin(), file, *file) != file)
      throw Failure(ExitCode::bad_input, fmt::format("two outputs would go to '{}'", *file));
  }
  return to_standard_output == 0;
}

}  // namespace ringscope
