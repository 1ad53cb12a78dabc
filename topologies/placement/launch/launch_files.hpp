// SPDX-License-Identifier: LGPL-2.1-or-later
// A placement as launchers take it.
#pragma once

#include "topologies/placement/placement.hpp"

namespace ringscope {

/// Open MPI's, for `mpirun --rankfile`: `rank 3=host1 slot=0:2`, socket and core by their logical
/// numbers. Source: Open MPI 4.1, mpirun(1), "Rankfiles".
std::string rankfile(const Placement& placement, const Topology& topology);

/// `name:N`, for `mpiexec -f` of MPICH and Open MPI's `--hostfile`: ranks fill one line after the
/// other. Where the placement comes back to a host, so does the file: MPICH 4.0 takes it so, and
/// Open MPI adds the slots of a host up.
std::string hostfile(const Placement& placement, const Topology& topology);

/// The same for `mpiexec -machinefile` of Intel MPI, whose -f takes names alone. A host stands in
/// it once: where the placement comes back to one, a comment has the command that does so, too.
/// Source: Intel MPI Library Developer Reference, "Global Hydra Options", "Local Hydra Options".
std::string machinefile(const Placement& placement, const Topology& topology);

/// The host of each rank, one a line, for SLURM_HOSTFILE and `srun --distribution=arbitrary`.
/// Source: Slurm, srun(1), "SLURM_HOSTFILE".
std::string slurm_hostfile(const Placement& placement, const Topology& topology);

/// A script between launcher and program, `sh FILE PROGRAM`: which GPU a rank has, by the rank that
/// Open MPI, MPICH or Slurm gave it. None of the files above can say that. GPUs have the numbers
/// of nvidia-smi, which are those of PCI. Source: CUDA C++ Programming Guide, "CUDA Environment
/// Variables".
std::string gpu_script(const Placement& placement, const Topology& topology);

/// A script that starts each host's ranks by torchrun, `sh FILE PROGRAM` on every host: which node
/// it is, and its GPUs in the order of the ranks, so that local rank i has device i. None where
/// torchrun cannot number the ranks so: it starts equally many on each node, one node after the
/// other. Source: PyTorch, "torchrun (Elastic Launch)".
std::optional<std::string> torchrun_script(const Placement& placement, const Topology& topology);

}  // namespace ringscope
