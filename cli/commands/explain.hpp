// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by `run`, `explain`, `what-if` and `lesson`: the choice of a scenario's cases.
#pragma once

#include "cli/cases/cases.hpp"

namespace ringscope {

/// --case.
void add_case_option(Command& subcommand, std::vector<std::string>& only);

/// Cases of the names, in the order of the names, or all where there are none. The words that come
/// last in a case's name will do. Throws Failure for a name that no case has.
std::vector<Scenario> only_cases(std::vector<Scenario> scenarios,
                                 const std::vector<std::string>& only);

}  // namespace ringscope
