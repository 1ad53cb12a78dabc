// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "scenarios/answer/explain/explain.hpp"

namespace ringscope {
namespace {

struct ExplainArguments {
  CaseArguments cases;
  std::string json;
  bool all = false;
};

/// Alternatives to NCCL's choice, simulated, for each case that ended, as long as ^C has not come.
std::vector<std::vector<NcclOutcome>> nccl_outcomes(const std::vector<Scenario>& scenarios,
                                                    const ExplainArguments& arguments,
                                                    const BarShare& share, Answer& all) {
  std::vector<std::vector<NcclOutcome>> by_case(all.reports.size());
  const double width =
      (share.end - share.begin) / static_cast<double>(std::max<std::size_t>(1, by_case.size()));
  for (std::size_t i = 0; i < all.reports.size() && all.interrupted.empty(); ++i) {
    const auto asked = std::ranges::find(scenarios, all.reports[i].name, &Scenario::name);
    if (asked == scenarios.end() || all.reports[i].deadlock) continue;
    const std::vector<NcclAlternative> alternatives = nccl_alternatives(*asked);
    if (alternatives.empty()) continue;
    const std::vector<Scenario> forced = each_of(alternatives, &NcclAlternative::scenario);
    const double begin = share.begin + width * static_cast<double>(i);
    Answer answer = run_with(arguments.cases, forced, {share.bar, begin, begin + width});
    if (answer.difference && all.difference) all.difference->merge(*answer.difference);
    all.interrupted = answer.interrupted;
    if (!answer.interrupted.empty()) break;
    for (std::size_t j = 0; j < alternatives.size(); ++j)
      by_case[i].push_back({alternatives[j], std::move(answer.reports[j])});
  }
  return by_case;
}

void explain(const ExplainArguments& arguments) {
  const bool text = print_text({arguments.json});
  ProgressBar bar("reading");
  const std::vector<Scenario> scenarios = scenarios_of(arguments.cases);
  RunOptions options;
  options.record_chain = options.keep_deadlock = true;
  options.path_limit = long_path_limit;
  constexpr double half = 0.5;
  Answer answer = run_with(arguments.cases, scenarios, {&bar, 0, half}, options);
  const std::vector<Report>& reports = answer.reports;
  const bool each = reports.size() == 1 || arguments.all || !arguments.json.empty();
  const auto outcomes =
      nccl_outcomes(each ? scenarios : std::vector<Scenario>{}, arguments, {&bar, half, 1}, answer);
  begin_writing(bar, text);
  auto document = explanation(reports);
  std::string screen = print_explanation(reports, arguments.all);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (outcomes[i].empty()) continue;
    document["nccl"].push_back(nccl_choice_json(reports[i], outcomes[i]));
    if (reports.size() == 1 || arguments.all)
      screen += '\n' + print_nccl_choice(reports[i], outcomes[i]);
  }
  if (!arguments.json.empty()) write_output(arguments.json, document.dump(2) + '\n');
  end_answer(answer, bar, text, screen, command_on("what-if", arguments.cases));
}

}  // namespace

void add_explain(Command& program) {
  auto [command, arguments] = program.add_subcommand("explain", explain);
  add_case_arguments(command, arguments.cases);
  command.add_flag("--all", arguments.all);
  command.add_option("--json", arguments.json);
}

}  // namespace ringscope
