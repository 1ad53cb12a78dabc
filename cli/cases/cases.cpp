#include "cli/cases/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/terminal/progress_bar.hpp"
#include "scenarios/question/estimate.hpp"
#include "scenarios/question/job_warnings.hpp"
#include "topologies/input/characters.hpp"

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

/// Announces cases that will take long, so that nobody waits for what can be asked smaller.
void announce(const std::vector<Scenario>& scenarios, const CaseArguments& arguments) {
  constexpr double long_s = 60;
  const bool on_simgrid = arguments.kernel == "simgrid";
  const double free = free_memory_bytes();
  for (const Scenario& scenario : scenarios) {
    const Estimate estimate = estimate_of(scenario, on_simgrid);
    require_memory(scenario, estimate, free);
    if (estimate.seconds < long_s) continue;
    // Nobody knows before how many steps will be alike.
    const bool at_most = !on_simgrid && !arguments.no_skip;
    const std::string text =
        fmt::format("{}: {}, {} {} of computing and {} of memory; to have less of it, lower {}",
                    scenario.name, in_words(estimate), at_most ? "at most" : "some",
                    to_short_text(Seconds(estimate.seconds), 2),
                    to_short_text(Bytes{static_cast<std::uint64_t>(estimate.memory_bytes)}, 2),
                    what_to_lower(scenario));
    std::fprintf(stderr, "%s\n", for_terminal(text).c_str());
  }
}

}  // namespace

Seconds limit_of(const std::string& text) {
  const Place place{std::make_shared<const Source>(Source{"--limit", text}), 0, 0};
  const Value value = Value::scalar_at(place, text);
  const Seconds limit = value.seconds();
  if (limit.count() <= 0) value.fail("expected a time above 0");
  return limit;
}

void add_case_arguments(Command& subcommand, CaseArguments& arguments) {
  subcommand.add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      .required();
  subcommand
      .add_option("--set", arguments.changes,
                  "KEY=VALUE: overrides a key of every scenario, such as job.bytes=64MiB")
      .one_word();
  subcommand.add_option("--kernel", arguments.kernel, "what simulates").show_default();
  subcommand.add_flag("--no-skip", arguments.no_skip,
                      "simulate every step, also where the fluid kernel finds that they repeat");
  subcommand
      .add_option("--limit", arguments.limit, "TIME: end a case that takes longer to simulate")
      .show_default();
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
  const Seconds limit = limit_of(arguments.limit);
  announce(scenarios, arguments);
  ProgressBar bar;
  options.kernel = arguments.kernel;
  options.skip = !arguments.no_skip;
  options.progress = [&bar](double done) { bar.show(done); };
  std::vector<Report> reports = run_cases(scenarios, options, one, limit);
  for (std::size_t i = 0; i < std::min(reports.size(), scenarios.size()); ++i)
    reports[i].warnings = job_warnings(scenarios[i]);
  return reports;
}

RunOptions recording(bool record) {
  RunOptions options;
  options.keep_deadlock = true;
  options.record_spans = options.record_chain = record;
  if (record) options.path_limit = long_path_limit;
  return options;
}

std::vector<Report> run_cases_of(const CaseArguments& arguments, RunOptions options) {
  return run_with(arguments, scenarios_of(arguments), std::move(options));
}

void refuse_stuck(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!report.deadlock) continue;
    if (!text.empty()) text += '\n';
    if (reports.size() > 1) text += report.name + ": ";
    text += report.deadlock->text;
  }
  if (!text.empty()) throw Failure(ExitCode::stuck, text);
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
