// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/text/table.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "topologies/cluster.hpp"
#include "topologies/graph/topology.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// Summary of the file, and a line for each warning. Throws InputError where it cannot be read.
/// `question`: options for scenarios alone.
std::string check(const std::string& name, const QuestionArguments& question,
                  const std::vector<std::string>& only) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::vector<std::string>& all) {
    for (const std::string& warning : all)
      if (std::find(lines.begin(), lines.end(), warning) == lines.end()) lines.push_back(warning);
  };
  ProgressBar bar("reading " + name);
  std::string text;
  const auto alone = name.empty() ? question.only_cluster() : std::nullopt;
  if (!alone && (name.empty() || is_read_as_scenario(name))) {
    const std::vector<Scenario> cases = only_cases(read_question(name, question), only);
    const std::vector<std::string> twins = twin_warnings(cases);
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (!twins[i].empty()) lines.push_back(fmt::format("{}: {}", cases[i].name, twins[i]));
    for (const Scenario& one : cases) {
      add(warnings(one.cluster.topology));
      add(job_warnings(one));
    }
    text = fmt::format("{}: {}", name.empty() ? "the job" : name, plural(cases.size(), "case"));
  } else {
    if (!alone) refuse_options_for(name, question, only);
    const Cluster cluster = read_cluster(alone ? *alone : typed("check", name));
    add(warnings(cluster));
    text = fmt::format("{}: {}, {}", name.empty() ? cluster.name : name,
                       plural(cluster.topology.hosts().size(), "host"),
                       plural(cluster.topology.graph().link_count(), "link"));
  }
  text += lines.empty() ? ", nothing to warn of\n" : "\n";
  for (const std::string& line : lines) text += fmt::format("warning: {}\n", line);
  return text;
}

}  // namespace

void add_check(Command& program) {
  struct Arguments {
    std::vector<std::string> names, only;
    QuestionArguments question;
  };
  Command command = program.add_subcommand("check");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("SCENARIO|CLUSTER", arguments->names);
  add_question_options(command, arguments->question);
  command.add_option("--case", arguments->only).one_word();
  command.callback([arguments] {
    if (arguments->names.empty()) arguments->names.emplace_back();
    for (const std::string& name : arguments->names)
      show_screen(check(name, arguments->question, arguments->only));
    const std::string& last = arguments->names.back();
    if (!last.empty())
      suggest((is_read_as_scenario(last) ? "ringscope run " : "ringscope show ") +
              shell_word(last));
  });
}

}  // namespace ringscope
