// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/next_command.hpp"

#include "cli/terminal/screen.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {

std::string command_on(const std::string& subcommand, const CaseArguments& cases) {
  std::string words = "ringscope " + subcommand;
  for (const std::string& scenario : cases.scenarios) words += ' ' + shell_word(scenario);
  for (const std::string& change : cases.changes) words += " --set " + shell_word(change);
  return words;
}

}  // namespace ringscope
