// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/replays/measuring.hpp"

#include <utility>

#include "cli/terminal/option_word.hpp"
#include "cli/terminal/output_file.hpp"

namespace ringscope {

int run_program(Program& program, std::span<const AddSubcommand> subcommands, int count,
                char** words) {
  const std::string command = recorded_command({words, words + count});
  for (const auto add : subcommands) add(program, command);
  require_utf8_words(count, words);
  return static_cast<int>(program.parse(count, words));
}

void add_output_option(Command& command, std::string& output) {
  command.add_option(
      "-o,--output", output,
      "measurement to write, see validation/measurement.md (default: standard output)");
}

void add_emulated_option(Command& command, std::string& emulated, const std::string& what) {
  command.add_option("--emulated", emulated, "TEXT about the emulated parts of this " + what);
}

void add_timeout_option(Command& command, double& timeout_s, const std::string& timed) {
  command.add_option("--timeout", timeout_s, "time limit of " + timed + ", in seconds")
      .show_default()
      .above_zero();
}

void add_point_options(Command& command, std::vector<std::string>& only,
                       std::vector<std::string>& sizes, const std::string& sizes_of) {
  command.add_option("--only", only, "NAME,...: probes to run (default: all)").separated_by(',');
  command.add_option("--sizes", sizes, sizes_of).separated_by(',');
}

void add_bench_options(Command& command, BenchOptions& options) {
  command.add_option("--repetitions", options.repetitions, "maximum number of samples per point")
      .show_default()
      .between(1, 1000000);
  command.add_option("--budget", options.budget_s, "time limit of all probes together, in seconds")
      .show_default()
      .above_zero();
}

std::set<std::size_t> chosen_indices(const std::vector<std::string>& asked,
                                     const std::vector<std::string>& names, std::string_view kind) {
  std::set<std::size_t> indices;
  for (const std::string& name : asked)
    indices.insert(option_word("--only", name).one_of(kind, names));
  for (std::size_t i = 0; asked.empty() && i < names.size(); ++i) indices.insert(i);
  return indices;
}

std::vector<std::uint64_t> sizes_of(const std::string& option,
                                    const std::vector<std::string>& texts, const SizeRule& rule) {
  std::set<std::uint64_t> sizes;
  for (const std::string& text : texts) {
    const Value value = option_word(option, text);
    const std::uint64_t bytes = value.bytes().count;
    if (bytes < rule.least || bytes > rule.most || bytes % rule.multiple != 0)
      value.fail(fmt::format("expected {}, got \"{}\"", rule.expected, text));
    sizes.insert(bytes);
  }
  return {sizes.begin(), sizes.end()};
}

void write_document(const std::string& output, std::string_view kind, const Provenance& where,
                    nlohmann::ordered_json measurements) {
  const auto document = measurement_document(kind, where, std::move(measurements));
  write_output(output, document.dump(2) + '\n');
}

void add_scenario_arguments(Command& replay, ScenarioArguments& arguments) {
  replay.add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      .required();
  replay.add_option("--set", arguments.changes,
                    "KEY=VALUE: override a key of every scenario, as in ringscope run");
}

std::vector<Scenario> read_all(const ScenarioArguments& arguments) {
  std::vector<Scenario> cases;
  for (const std::string& name : arguments.scenarios)
    for (Scenario& one : read_scenarios(name, parse_overrides(arguments.changes)))
      cases.push_back(std::move(one));
  return cases;
}

void add_timing_options(Command& replay, RepetitionRule& rule) {
  constexpr int most = 1000000;
  const auto add = [&replay](const char* name, auto& value, const char* help) {
    return replay.add_option(name, value, help).show_default();
  };
  add("--repetitions", rule.stop.least, "minimum number of samples per case").between(1, most);
  add("--max-repetitions", rule.stop.most,
      "maximum number of samples per case; --repetitions takes precedence")
      .between(1, most);
  add("--precision", rule.stop.precision,
      "FRACTION of the median: a confidence interval this narrow on both sides suffices")
      .above_zero();
  add("--confidence", rule.stop.confidence, "confidence level of the interval")
      .between(1e-6, 1 - 1e-6);
  add("--budget", rule.stop.budget_s,
      "time per case, in seconds, after which only the minimum of samples is taken")
      .above_zero();
  add("--warmups", rule.warmups, "number of runs before the samples").between(0, most);
}

}  // namespace ringscope
