// A placement as launchers take it.
#pragma once

#include <string>

#include "topologies/placement.hpp"

namespace ringscope {

/// Open MPI's, for `mpirun --rankfile`: `rank 3=host1 slot=0:2`, socket and core by their logical
/// numbers. Source: Open MPI 4.1, mpirun(1), "Rankfiles".
std::string rankfile(const Placement& placement, const Topology& topology);

/// `name:N`, for Hydra's `mpiexec -f` (MPICH, Intel MPI) and Open MPI's `--hostfile`: ranks fill
/// one host after the other. Where the placement comes back to a host, which such a file cannot
/// say, a comment has the command that can.
std::string hostfile(const Placement& placement, const Topology& topology);

/// The host of each rank, one a line, for SLURM_HOSTFILE and `srun --distribution=arbitrary`.
/// Source: Slurm, srun(1), "SLURM_HOSTFILE".
std::string slurm_hostfile(const Placement& placement, const Topology& topology);

}  // namespace ringscope
