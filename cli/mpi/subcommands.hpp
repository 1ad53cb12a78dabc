// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands of ringscope-mpi: one file and one line each.
#pragma once

#include "cli/replays/measuring.hpp"

namespace ringscope::mpi {

// Each adds itself to the program and runs when it is parsed. It throws Failure or InputError.
// `command` is the whole command line, for the document.
AddSubcommand add_replay, add_probe, add_record;
inline constexpr AddSubcommand* subcommands[] = {add_replay, add_probe, add_record};

}  // namespace ringscope::mpi
