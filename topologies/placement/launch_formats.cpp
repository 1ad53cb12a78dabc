// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/launch_formats.hpp"

#include <fmt/format.h>

#include "topologies/placement/launch_files.hpp"

namespace ringscope {
namespace {

/// The program, or the script between it and the launcher that gives it a GPU.
std::string program(const LaunchTask& launch) {
  return launch.gpu_file.empty() ? "PROGRAM" : fmt::format("sh {} PROGRAM", launch.gpu_file);
}

template <std::string (*text)(const Placement&, const Topology&)>
std::optional<std::string> always(const LaunchTask& launch) {
  return text(launch.placement, launch.topology);
}

std::string mpirun(const LaunchTask& launch, const std::string& file) {
  return fmt::format("mpirun -n {} --rankfile {} {}", launch.placement.ranks.size(), file,
                     program(launch));
}

std::string mpiexec(const LaunchTask& launch, const std::string& file) {
  return fmt::format("mpiexec -n {} -f {} {}", launch.placement.ranks.size(), file,
                     program(launch));
}

std::string srun(const LaunchTask& launch, const std::string& file) {
  return fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary{} {}", file,
                     launch.placement.ranks.size(),
                     launch.gpu_file.empty() ? "" : " --gpu-bind=none", program(launch));
}

std::string torchrun(const LaunchTask&, const std::string& file) {
  return fmt::format("sh {} PROGRAM    # on every host", file);
}

std::string no_command(const LaunchTask&, const std::string&) { return ""; }

}  // namespace

std::span<const LaunchFormat> launch_formats() {
  static const LaunchFormat formats[] = {
      {"rankfile", "write the best one as Open MPI's rankfile", LaunchSays::host, always<rankfile>,
       mpirun},
      {"hostfile", "write it as a hostfile of MPICH's", LaunchSays::host, always<hostfile>,
       mpiexec},
      {"slurm", "write it as Slurm's SLURM_HOSTFILE", LaunchSays::host, always<slurm_hostfile>,
       srun},
      {"gpus", "on GPUs: write a script that gives each rank its own, beside these files",
       LaunchSays::gpu, always<gpu_script>, no_command},
      {"torchrun", "on GPUs: write a script that starts torchrun on each host", LaunchSays::gpu,
       [](const LaunchTask& launch) { return torchrun_script(launch.placement, launch.topology); },
       torchrun,
       "torchrun numbers equally many ranks on each host, one host after the other, and the best "
       "placement does not; --order fixed and --whole-hosts ask for such ones, and --rankfile or "
       "--slurm with --gpus start any"},
      rank_map_format(),
      volcano_format(),
      kueue_format(),
  };
  return formats;
}

}  // namespace ringscope
