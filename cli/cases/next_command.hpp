// SPDX-License-Identifier: LGPL-2.1-or-later
// Words of a command that asks the same cases something else.
#pragma once

#include <string>

#include "cli/cases/cases.hpp"

namespace ringscope {

/// "ringscope explain 03-anomaly --set job.bytes=1MiB", for a subcommand and its cases.
std::string command_on(const std::string& subcommand, const CaseArguments& cases);

}  // namespace ringscope
