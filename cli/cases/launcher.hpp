// Detects that mpirun or srun has started several of us, and takes part in that.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/studies/remote_workers.hpp"

namespace ringscope {

/// The launcher's statements in the environment.
struct Launch {
  int rank = 0;
  int size = 1;        ///< above 1
  int local_size = 1;  ///< number of them on this host
  std::string mpi;     ///< "openmpi" or "mpich", as their programs are called; "": either
};

/// Nothing where this process was started alone. `variable` is std::getenv, or a test's.
std::optional<Launch> launch_of(const char* (*variable)(const char*));

/// Threads for each of `local_size` processes: its share of this host; at least one.
int threads_here(int local_size);

/// On the first rank: workers on the others, through a program of that MPI beside this one. Null,
/// with a word on standard error, where there is no such program. On the other ranks: never
/// returns.
std::shared_ptr<RemoteWorkers> join(const Launch& launch, int threads);

}  // namespace ringscope
