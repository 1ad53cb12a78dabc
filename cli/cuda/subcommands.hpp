// SPDX-License-Identifier: LGPL-2.1-or-later
// The subcommands of ringscope-cuda: one file and one line each.
#pragma once

#include "cli/replays/measuring.hpp"

namespace ringscope::cuda {

// Each adds itself to the program and runs when it is parsed. It throws Failure, InputError or
// GpuError. `command` is the whole command line, for the document.
AddSubcommand add_devices, add_replay, add_probe, add_nccl;
inline constexpr AddSubcommand* subcommands[] = {add_devices, add_replay, add_probe, add_nccl};

}  // namespace ringscope::cuda
