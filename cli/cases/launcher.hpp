// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects that mpirun, srun or a job array has started several of us.
#pragma once

#include <optional>
#include <string>

#include "sim/studies/store_tables.hpp"

namespace ringscope {

/// The launcher's statements in the environment.
struct Launch {
  Shard process;       ///< which of them this is
  int local_size = 1;  ///< number of them on this host
  std::string names;   ///< of the variables that say so
};

using Variable = const char* (*)(const char*);

/// Nothing where this process was started alone. `variable` is std::getenv, or a test's. In a batch
/// script Slurm's variables of a task are there too, though no srun has started several: they count
/// only where somebody has `asked` for them. Throws Failure (bad_input) for numbers that are none.
std::optional<Launch> launch_of(Variable variable, bool asked);

/// Threads for each of `local_size` processes: its share of this host; at least one.
int threads_here(int local_size);

}  // namespace ringscope
