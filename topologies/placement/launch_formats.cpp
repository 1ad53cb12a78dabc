// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/launch_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "topologies/input/characters.hpp"
#include "topologies/placement/launch_files.hpp"

namespace ringscope {
namespace {

/// The program, or the script between it and the launcher that gives it a GPU.
std::string program(const LaunchTask& launch) {
  return launch.gpu_file.empty() ? "PROGRAM"
                                 : fmt::format("sh {} PROGRAM", shell_word(launch.gpu_file));
}

template <std::string (*text)(const Placement&, const Topology&)>
std::optional<std::string> always(const LaunchTask& launch) {
  return text(launch.placement, launch.topology);
}

/// The script, with a note where the numbers of its GPUs hold on whole hosts alone.
std::string noted(std::string script, const LaunchTask& launch) {
  if (shares_gpus(launch))
    script.insert(script.find('\n') + 1,
                  "# Background jobs use GPUs of these hosts, too. The numbers apply to whole "
                  "hosts: a\n# container or an allocation with some of the GPUs numbers them from "
                  "0.\n");
  return script;
}

std::optional<std::string> gpu_script_file(const LaunchTask& launch) {
  return noted(gpu_script(launch.placement, launch.topology), launch);
}

std::optional<std::string> torchrun_file(const LaunchTask& launch) {
  std::optional<std::string> script = torchrun_script(launch.placement, launch.topology);
  if (script) script = noted(std::move(*script), launch);
  return script;
}

/// The allocation that the ranks need, and their start in it.
std::string salloc(const LaunchTask& launch) {
  std::vector<std::string> hosts;
  for (const Location& rank : launch.placement.ranks) {
    const std::string& name = launch.topology.hosts()[rank.host].name;
    if (std::ranges::find(hosts, name) == hosts.end()) hosts.push_back(name);
  }
  const bool whole = launch.placement.ranks.front().gpu >= 0 && !shares_gpus(launch);
  return fmt::format(
      "salloc --nodes={}{} --nodelist={}    # or sbatch, with the next line in its "
      "script",
      hosts.size(), whole ? " --exclusive" : "", fmt::join(hosts, ","));
}

std::string mpirun(const LaunchTask& launch, const std::string& file) {
  return fmt::format("mpirun -n {} --rankfile {} {}", launch.placement.ranks.size(),
                     shell_word(file), program(launch));
}

std::string mpiexec(const LaunchTask& launch, const std::string& file) {
  return fmt::format("mpiexec -n {} -f {} {}", launch.placement.ranks.size(), shell_word(file),
                     program(launch));
}

std::string srun(const LaunchTask& launch, const std::string& file) {
  return fmt::format("{}\nSLURM_HOSTFILE={} srun -n {} --distribution=arbitrary{} {}",
                     salloc(launch), shell_word(file), launch.placement.ranks.size(),
                     launch.gpu_file.empty() ? "" : " --gpu-bind=none", program(launch));
}

std::string torchrun(const LaunchTask&, const std::string& file) {
  return fmt::format("sh {} PROGRAM    # on every host", shell_word(file));
}

std::string no_command(const LaunchTask&, const std::string&) { return ""; }

}  // namespace

bool shares_gpus(const LaunchTask& launch) {
  return std::ranges::any_of(launch.placement.ranks, [&](const Location& rank) {
    return rank.gpu >= 0 && launch.shared.contains(rank.host);
  });
}

std::span<const LaunchFormat> launch_formats() {
  static const LaunchFormat formats[] = {
      {"rankfile", "write the best one as Open MPI's rankfile", LaunchSays::host, always<rankfile>,
       mpirun},
      {"hostfile", "write it as a hostfile of MPICH's", LaunchSays::host, always<hostfile>,
       mpiexec},
      {"slurm", "write it as Slurm's SLURM_HOSTFILE", LaunchSays::host, always<slurm_hostfile>,
       srun},
      {"gpus", "on GPUs: write a script that gives each rank its own, beside these files",
       LaunchSays::gpu, gpu_script_file, no_command},
      {"torchrun", "on GPUs: write a script that starts torchrun on each host", LaunchSays::gpu,
       torchrun_file, torchrun,
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
