// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands: one file and one line each.
#pragma once

#include "cli/terminal/words.hpp"

namespace ringscope {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
void add_run(Command& program);
void add_compare(Command& program);
void add_explain(Command& program);
void add_what_if(Command& program);
void add_estimate(Command& program);
void add_sweep(Command& program);
void add_merge(Command& program);
void add_show(Command& program);
void add_list(Command& program);
void add_place(Command& program);
void add_lesson(Command& program);
void add_check(Command& program);
void add_export(Command& program);
void add_import(Command& program);
void add_import_machine(Command& program);
void add_import_fabric(Command& program);
void add_calibrate(Command& program);
void add_validate(Command& program);
void add_predict(Command& program);
void add_doctor(Command& program);
void add_tune(Command& program);
void add_plot(Command& program);

struct Subcommand {
  const char* group;  ///< heading of the program's help
  void (*add)(Command&);
};

/// In the order of the help.
inline constexpr Subcommand subcommands[] = {
    {"Simulate", add_run},
    {"Simulate", add_compare},
    {"Simulate", add_explain},
    {"Simulate", add_what_if},
    {"Simulate", add_predict},
    {"Simulate", add_estimate},
    {"Search", add_place},
    {"Search", add_sweep},
    {"Search", add_merge},
    {"Search", add_tune},
    {"Describe a machine", add_show},
    {"Describe a machine", add_check},
    {"Describe a machine", add_list},
    {"Describe a machine", add_import_machine},
    {"Describe a machine", add_import_fabric},
    {"Describe a machine", add_export},
    {"Measurements", add_import},
    {"Measurements", add_calibrate},
    {"Measurements", add_validate},
    {"Measurements", add_doctor},
    {"Present", add_lesson},
    {"Present", add_plot},
};

}  // namespace ringscope
