// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects that mpirun, srun or a job array has started several of us.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cases/study_options.hpp"
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

// Which shard of a study this process does, and the store that it fills.

/// Sets options.part by --shard, or by what a launcher says, and the {shard} in options.store.
/// Throws InputError or Failure for a shard that there is not, and for one without a store of its
/// own. `variable`: std::getenv, or a test's.
void settle_shard(StudyOptions& options, Variable variable);
void settle_shard(StudyOptions& options);

/// Refuses options that write or show the answer, each with its text: a shard has none yet.
void refuse_answers(const StudyOptions& options,
                    const std::vector<std::pair<std::string, std::string>>& answers,
                    const std::string& command);

}  // namespace ringscope
