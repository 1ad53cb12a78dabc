// SPDX-License-Identifier: LGPL-2.1-or-later
// The GPUs that the program runs on: those of this machine, or fake ones; the library of
// collectives on them, and what a measurement says of them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "cli/replays/measuring.hpp"
#include "validation/executors/cuda/gpus/collectives.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope::cuda {

/// Throws Failure (bad input) where there are none.
std::unique_ptr<Gpus> open_gpus();

/// The library of collectives that the program was built with. Throws Failure (bad input) where the
/// program was built without one.
std::unique_ptr<CollectiveLibrary> open_collectives(Gpus& gpus);

/// Place, time and means of a measurement on the GPUs of this machine. `devices`: the GPU of each
/// rank; of probes, each GPU.
Provenance provenance_on(Gpus& gpus, std::span<const int> devices, const std::string& command);

// The subcommands of ringscope-cuda: one file and one line each.

// Each adds itself to the program and runs when it is parsed. It throws Failure, InputError or
// GpuError. `command` is the whole command line, for the document.
AddSubcommand add_devices, add_replay, add_probe, add_nccl;
inline constexpr AddSubcommand* subcommands[] = {add_devices, add_replay, add_probe, add_nccl};

}  // namespace ringscope::cuda
