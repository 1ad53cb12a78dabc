// The subcommands: one file and one line each.
#pragma once

#include <CLI/CLI.hpp>

namespace ringscope {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
void add_run(CLI::App& program);
void add_compare(CLI::App& program);
void add_explain(CLI::App& program);
void add_what_if(CLI::App& program);
void add_sweep(CLI::App& program);
void add_show(CLI::App& program);
void add_list(CLI::App& program);
void add_place(CLI::App& program);
void add_lesson(CLI::App& program);
void add_check(CLI::App& program);
void add_import(CLI::App& program);
void add_import_machine(CLI::App& program);
void add_calibrate(CLI::App& program);
void add_validate(CLI::App& program);

inline constexpr void (*subcommands[])(CLI::App&) = {
    add_run,    add_compare,        add_explain,   add_what_if,  add_sweep,
    add_show,   add_check,          add_list,      add_place,    add_lesson,
    add_import, add_import_machine, add_calibrate, add_validate,
};

}  // namespace ringscope
