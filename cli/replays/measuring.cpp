// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/replays/measuring.hpp"

#include "cli/terminal/failure.hpp"

namespace ringscope {

int run_program(const std::string& name, std::span<AddSubcommand* const> subcommands, int count,
                char** words) {
  Program program(name, name + ' ' + RINGSCOPE_VERSION);
  const std::string command = recorded_command({words, words + count});
  for (const auto add : subcommands) add(program, command);
  require_utf8_words(count, words);
  return static_cast<int>(program.parse(count, words));
}

void add_bench_options(Command& command, BenchOptions& options) {
  command.add_option("--repetitions", options.repetitions).show_default().between(1, 1000000);
  command.add_option("--budget", options.budget_s).show_default().above_zero();
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
      value.fail("expected {}, got \"{}\"", rule.expected, text);
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
  replay.add_option("SCENARIO", arguments.scenarios).required();
  replay.add_option("--set", arguments.changes);
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
  const auto add = [&replay](const char* name, auto& value) {
    return replay.add_option(name, value).show_default();
  };
  add("--repetitions", rule.stop.least).between(1, most);
  add("--max-repetitions", rule.stop.most).between(1, most);
  add("--precision", rule.stop.precision).above_zero();
  add("--confidence", rule.stop.confidence).between(1e-6, 1 - 1e-6);
  add("--budget", rule.stop.budget_s).above_zero();
  add("--warmups", rule.warmups).between(0, most);
}

}  // namespace ringscope
