// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands: one line each, and one file or script.
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
void add_init(Command& program);
void add_export(Command& program);
void add_import_machine(Command& program);
void add_import_fabric(Command& program);

struct Subcommand {
  const char* group;      ///< heading of the program's help
  void (*add)(Command&);  ///< nullptr: a script, of that name in a folder of the project
  const char *name = "", *folder = "", *summary = "";
};
void add_script(Command& program, const Subcommand& script);

/// In the order of the help.
inline constexpr Subcommand subcommands[] = {
    {"Simulate", add_run},
    {"Simulate", add_compare},
    {"Simulate", add_explain},
    {"Simulate", add_what_if},
    {"Simulate", nullptr, "predict", "validation/calibration",
     "Predict a scenario with a 90 % interval from a calibrated model"},
    {"Simulate", add_estimate},
    {"Search", add_place},
    {"Search", add_sweep},
    {"Search", add_merge},
    {"Search", nullptr, "tune", "validation/tune",
     "Find the fastest algorithm per message size and write the library's tuning file"},
    {"Describe a machine", add_init},
    {"Describe a machine", add_show},
    {"Describe a machine", add_check},
    {"Describe a machine", add_list},
    {"Describe a machine", add_import_machine},
    {"Describe a machine", add_import_fabric},
    {"Describe a machine", add_export},
    {"Measurements", nullptr, "import", "validation/calibration",
     "Import benchmark results of OSU, IMB or nccl-tests as measurements"},
    {"Measurements", nullptr, "calibrate", "validation/calibration",
     "Fit a cluster and a library profile to measurements"},
    {"Measurements", nullptr, "validate", "validation/calibration",
     "Predict measured cases and report the errors"},
    {"Measurements", nullptr, "doctor", "validation/doctor",
     "Diagnose a benchmark log: normal for this cluster, or which cause"},
    {"Present", add_lesson},
    {"Present", nullptr, "play", "plots/playground",
     "Open the course: lessons that simulate in the browser"},
    {"Present", nullptr, "plot", "plots", "Plot a result file (PNG, SVG, PDF or EPS)"},
};

}  // namespace ringscope
