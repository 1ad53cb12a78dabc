// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that start the ranks of a placement: every format by its name.
#pragma once

#include "topologies/placement/placement.hpp"

namespace ringscope {

// A placement as launchers take it.

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

// The formats of these files.

/// A placement that is to be started.
struct LaunchTask {
  const Placement& placement;
  const Topology& topology;
  std::string groups{};    ///< order of the job's groups, which numbers the ranks; "": it has none
  std::string gpu_file{};  ///< file that gives each rank its GPU, where it is written too
  std::set<int> shared{};  ///< hosts with GPUs that background jobs use
};

/// True if a background job uses GPUs of a host of the placement.
bool shares_gpus(const LaunchTask& launch);

/// True if ranks use some of a host's GPUs and not all, or beside a background job. A container or
/// an allocation with some of a host's GPUs numbers them from 0, so their numbers on the host do
/// not apply there.
bool takes_parts(const LaunchTask& launch);

/// Parts of a placement that a file says: of ranks on GPUs the host alone is not enough.
enum class LaunchSays { host, gpu, host_and_gpu };

struct LaunchFormat {
  std::string_view name;   ///< its flag, without dashes
  std::string_view about;  ///< what `--help` says
  LaunchSays says = LaunchSays::host;
  std::optional<std::string> (*make)(const LaunchTask& launch);
  std::string_view start;     ///< format of the command; "": the file is no command's
  std::string_view cannot{};  ///< why there may be none, and what says it instead
  bool has_flag = true;       ///< false: only `--format` names it

  /// The file; none where the format cannot say this placement. Throws InputError where a host of
  /// the placement has a name that no host may have: files hold names as they are.
  std::optional<std::string> text(const LaunchTask& launch) const;
  /// The command that starts the ranks by that file; "": it is no command's.
  std::string command(const LaunchTask& launch, const std::string& file) const;
};

/// All formats, in the order of `--help`.
std::span<const LaunchFormat> launch_formats();

std::optional<std::string> rank_map(const LaunchTask& launch);
std::optional<std::string> volcano_job(const LaunchTask& launch);
std::optional<std::string> topology_assignment(const LaunchTask& launch);
std::optional<std::string> sbatch_script(const LaunchTask& launch);
std::optional<std::string> jobset(const LaunchTask& launch);

/// The switches to which the first NIC of a host is connected.
std::set<Vertex> leaf_switches(const Topology& topology, int host);

/// Names of the hosts between commas, in the order of their first ranks.
std::string host_list(const LaunchTask& launch);

}  // namespace ringscope
