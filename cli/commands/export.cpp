// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/formats/messages.hpp"
#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {
namespace {

struct ExportArguments {
  std::string scenario, goal, only;
  QuestionArguments question;
};

Scenario only_case(const ExportArguments& arguments) {
  std::vector<Scenario> cases = read_question(arguments.scenario, arguments.question);
  if (cases.size() == 1 && arguments.only.empty()) return std::move(cases.front());
  const std::vector<std::string> names = each_of(cases, &Scenario::name);
  if (arguments.only.empty())
    throw BadInput("{} has {} cases, and a file holds one: --case '{}', for example",
                   arguments.scenario, cases.size(), names.front());
  return std::move(cases[option_word("--case", arguments.only).one_of("case", names)]);
}

void write_messages(const ExportArguments& arguments) {
  require_writable(arguments.goal);
  ProgressBar bar("reading");
  const Scenario scenario = only_case(arguments);
  bar.phase("recording");
  const std::string text =
      to_goal(messages_of(scenario),
              fmt::format("{}: {} {} of {}, {} ranks, by ringscope export", scenario.name,
                          scenario.job.algorithm->collective, scenario.job.algorithm->name,
                          to_text(scenario.job.bytes), scenario.placement.ranks.size()));
  bar.end();
  write_output(arguments.goal, text);
}

}  // namespace

void add_export(Command& program) {
  auto [command, arguments] = program.add_subcommand("export", write_messages);
  command.add_option("SCENARIO", arguments.scenario);
  add_question_options(command, arguments.question);
  command.add_option("--case", arguments.only);
  command.add_option("--goal", arguments.goal).required();
}

}  // namespace ringscope
