// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands: one line each, and one file or script.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/words.hpp"

namespace ringscope {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
using AddSubcommand = void(Command& program);
AddSubcommand add_run, add_compare, add_explain, add_what_if, add_estimate, add_sweep, add_merge,
    add_show, add_list, add_place, add_lesson, add_check, add_init, add_export, add_import_machine,
    add_import_fabric, add_advise;

struct Subcommand {
  const char* group;   ///< heading of the program's help
  AddSubcommand* add;  ///< nullptr: a script, of that name in a folder of the project
  const char *name = "", *folder = "";
};
void add_script(Command& program, const Subcommand& script);

/// In the order of the help.
inline constexpr Subcommand subcommands[] = {
    {"Simulate", add_run},
    {"Simulate", add_compare},
    {"Simulate", add_explain},
    {"Simulate", add_what_if},
    {"Simulate", nullptr, "predict", "validation/calibration"},
    {"Simulate", add_estimate},
    {"Search", add_place},
    {"Search", add_advise},
    {"Search", add_sweep},
    {"Search", add_merge},
    {"Search", nullptr, "tune", "validation/tune"},
    {"Describe a machine", add_init},
    {"Describe a machine", add_show},
    {"Describe a machine", add_check},
    {"Describe a machine", add_list},
    {"Describe a machine", add_import_machine},
    {"Describe a machine", add_import_fabric},
    {"Describe a machine", add_export},
    {"Measurements", nullptr, "import", "validation/calibration"},
    {"Measurements", nullptr, "calibrate", "validation/calibration"},
    {"Measurements", nullptr, "validate", "validation/calibration"},
    {"Measurements", nullptr, "doctor", "validation/doctor"},
    {"Present", add_lesson},
    {"Present", nullptr, "play", "plots/playground"},
    {"Present", nullptr, "plot", "plots"},
};

// Programs of the project that are Python.

/// Becomes the script at that path of the project, such as plots/plot. Throws Failure where that
/// cannot be.
[[noreturn]] void run_script(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace ringscope
