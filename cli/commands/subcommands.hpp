// The subcommands: one file and one line each.
#pragma once

#include "cli/terminal/words.hpp"

namespace ringscope {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
void add_run(Command& program);
void add_compare(Command& program);
void add_explain(Command& program);
void add_what_if(Command& program);
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

inline constexpr void (*subcommands[])(Command&) = {
    add_run,    add_compare,        add_explain,       add_what_if,   add_sweep,    add_merge,
    add_show,   add_check,          add_list,          add_place,     add_lesson,   add_export,
    add_import, add_import_machine, add_import_fabric, add_calibrate, add_validate, add_predict,
    add_doctor, add_tune,           add_plot,
};

}  // namespace ringscope
