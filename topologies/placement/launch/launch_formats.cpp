// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/launch/launch_formats.hpp"

#include <fmt/ranges.h>

#include "topologies/input/characters.hpp"
#include "topologies/placement/launch/launch_files.hpp"
#include "topologies/placement/launch/nodes.hpp"

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
  if (takes_parts(launch))
    script.insert(script.find('\n') + 1,
                  "# The ranks use some of a host's GPUs. The numbers apply to whole hosts: a "
                  "container\n# or an allocation with some of the GPUs numbers them from 0.\n");
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

/// The allocation that the ranks need, and their start in it. Without --ntasks-per-node it would
/// have one core of each node.
std::string salloc(const LaunchTask& launch) {
  const bool whole = launch.placement.ranks.front().gpu >= 0 && !shares_gpus(launch);
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  return fmt::format(
      "salloc --nodes={}{} --nodelist={}    # or sbatch, with the next line in its script",
      nodes.size(),
      whole ? " --exclusive" : fmt::format(" --ntasks-per-node={}", most_ranks_of(nodes)),
      host_list(launch));
}

}  // namespace

bool shares_gpus(const LaunchTask& launch) {
  return std::ranges::any_of(launch.placement.ranks, [&](const Location& rank) {
    return rank.gpu >= 0 && launch.shared.contains(rank.host);
  });
}

bool takes_parts(const LaunchTask& launch) {
  return launch.placement.ranks.front().gpu >= 0 &&
         !std::ranges::all_of(nodes_of(launch.placement),
                              [&](const PlacedNode& node) { return takes_whole(launch, node); });
}

std::optional<std::string> LaunchFormat::text(const LaunchTask& launch) const {
  const Place place{std::make_shared<const Source>(Source{"cluster", ""}), 0, 0};
  for (const Location& rank : launch.placement.ranks)
    require_host_name(place, launch.topology.hosts()[rank.host].name);
  return make(launch);
}

std::string LaunchFormat::command(const LaunchTask& launch, const std::string& file) const {
  return fmt::format(fmt::runtime(start), fmt::arg("file", shell_word(file)),
                     fmt::arg("ranks", launch.placement.ranks.size()),
                     fmt::arg("salloc", salloc(launch)), fmt::arg("program", program(launch)),
                     fmt::arg("unbound", launch.gpu_file.empty() ? "" : " --gpu-bind=none"));
}

std::set<Vertex> leaf_switches(const Topology& topology, int host) {
  std::set<Vertex> leaves;
  if (const auto& nics = topology.hosts()[host].nics; !nics.empty())
    for (const Edge& edge : topology.graph().edges(nics.front()))
      if (topology.graph()[edge.to].kind == ComponentKind::network_switch) leaves.insert(edge.to);
  return leaves;
}

std::string host_list(const LaunchTask& launch) {
  const auto name = [&](const PlacedNode& node) { return launch.topology.hosts()[node.host].name; };
  return fmt::format("{}", fmt::join(each_of(nodes_of(launch.placement), name), ","));
}

std::span<const LaunchFormat> launch_formats() {
  static const LaunchFormat formats[] = {
      {"rankfile", "write the best one as Open MPI's rankfile", LaunchSays::host, always<rankfile>,
       "mpirun -n {ranks} --rankfile {file} {program}"},
      {"hostfile", "write it as a hostfile of MPICH's", LaunchSays::host, always<hostfile>,
       "mpiexec -n {ranks} -f {file} {program}"},
      {"slurm", "write it as Slurm's SLURM_HOSTFILE", LaunchSays::host, always<slurm_hostfile>,
       "{salloc}\nSLURM_HOSTFILE={file} srun -n {ranks} --distribution=arbitrary{unbound} "
       "{program}"},
      {"gpus", "on GPUs: write a script that gives each rank its own, next to these files",
       LaunchSays::gpu, gpu_script_file, ""},
      {"torchrun", "on GPUs: write a script that starts torchrun on each host", LaunchSays::gpu,
       torchrun_file, "sh {file} PROGRAM    # on every host",
       "torchrun numbers equally many ranks on each host, one host after the other, and the best "
       "placement does not; --order fixed and --whole-hosts ask for such ones, and --rankfile or "
       "--slurm with --gpus start any"},
      {"rank-map", "write it as JSON: the host of each rank, its switch, and its GPU there",
       LaunchSays::host_and_gpu, rank_map, ""},
      {"volcano", "write it as a job of Volcano, a task for each host", LaunchSays::host_and_gpu,
       volcano_job, "kubectl create -f {file}"},
      {"kueue", "write it as the table of pods and nodes of Kueue's topologyAssignment",
       LaunchSays::host_and_gpu, topology_assignment, "",
       "one pod on each host has equally many ranks, one pod after the other, and the best "
       "placement does not; --order fixed and --whole-hosts ask for such ones, and --volcano takes "
       "any"},
      {"sbatch", "a batch script of Slurm", LaunchSays::host_and_gpu, sbatch_script,
       "sbatch {file} PROGRAM", "", false},
      {"jobset", "a JobSet of Kubernetes, a job for each host", LaunchSays::host_and_gpu, jobset,
       "kubectl create -f {file}", "", false},
      {"intel", "a machine file of Intel MPI", LaunchSays::host, always<machinefile>,
       "mpiexec -machinefile {file} -n {ranks} {program}", "", false},
  };
  return formats;
}

}  // namespace ringscope
