// SPDX-License-Identifier: LGPL-2.1-or-later
// Folder of the named scenarios, and files that a user took for another kind.
#pragma once

#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

/// Folder below data_directory().
inline constexpr const char* scenarios_folder = "scenarios/lessons";

/// True if `name`, or the file of that path, is read as a scenario: it is one, or a study, which is
/// then refused as such. Throws InputError for a file that cannot be read.
bool is_read_as_scenario(const std::string& name);

/// File of a scenario, or of one below the data's folders that has the name. Throws InputError.
std::string scenario_file(const std::string& name);

/// Throws where `file`, which the user calls `name`, is a study and a scenario was asked for; the
/// error names the command that reads it.
void refuse_study(const std::string& name, const Value& file);
/// The other way round.
void refuse_scenario(const std::string& name, const Value& file);

}  // namespace ringscope
