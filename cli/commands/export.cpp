// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/option_word.hpp"
#include "cli/terminal/output_file.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/formats/messages.hpp"
#include "scenarios/schedule/readers.hpp"

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
    throw BadInput(fmt::format("{} has {} cases, and a file holds one: --case '{}', for example",
                               arguments.scenario, cases.size(), names.front()));
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
  Command command =
      program.add_subcommand("export", "Export the messages of a job for other simulators");
  const auto arguments = std::make_shared<ExportArguments>();
  command.add_option("SCENARIO", arguments->scenario, "a name from scenarios/, or a file");
  add_question_options(command, arguments->question);
  command.add_option("--case", arguments->only,
                     "NAME of the case to export, if the scenario has several");
  command.add_option("--goal", arguments->goal, "FILE to write in GOAL ('-': standard output)")
      .required();
  command.footer(
      "GOAL is the input format of LogGOPSim's txt2bin. It contains the sends, receives and\n"
      "computations of each rank, and their dependencies. Reductions and copies are computations\n"
      "with the library's costs. The other simulator determines the time of messages. The job\n"
      "'schedule' reads a GOAL file (scenarios/format.md).\n\n"
      "Examples:\n"
      "  ringscope export 02-ring-of-8 --goal ring.goal\n"
      "  ringscope export my.yaml --set job.bytes=1MiB --goal - | head");
  command.callback([arguments] { write_messages(*arguments); });
}

}  // namespace ringscope
