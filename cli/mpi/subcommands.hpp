// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands of ringscope-mpi: one file and one line each.
#pragma once

#include <string>

#include "cli/replays/measuring.hpp"

namespace ringscope::mpi {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
// `command` is the whole command line, for the document.
void add_replay(Command& program, const std::string& command);
void add_probe(Command& program, const std::string& command);
void add_record(Command& program, const std::string& command);

inline constexpr AddSubcommand subcommands[] = {
    add_replay,
    add_probe,
    add_record,
};

}  // namespace ringscope::mpi
