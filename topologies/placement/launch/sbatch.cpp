// SPDX-License-Identifier: LGPL-2.1-or-later
// A batch script of Slurm's: the nodes that the ranks need, and their start in the order of a
// SLURM_HOSTFILE that the script writes.
//
// Of a host that is not the job's alone, Slurm chooses the GPUs: there a rank takes the i-th of
// those that its allocation has, in the order of its host's ranks. Source: Slurm, sbatch(1) and
// srun(1): --nodelist, --switches, --gpus, --distribution=arbitrary.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "topologies/placement/launch/launch_files.hpp"
#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
namespace {

/// Switches to which the first NICs of these hosts are connected.
std::size_t leaf_switches(const LaunchTask& launch) {
  std::set<Vertex> leaves;
  for (const Location& rank : launch.placement.ranks)
    if (const auto& nics = launch.topology.hosts()[rank.host].nics; !nics.empty())
      for (const Edge& edge : launch.topology.graph().edges(nics.front()))
        if (launch.topology.graph()[edge.to].kind == ComponentKind::network_switch)
          leaves.insert(edge.to);
  return leaves.size();
}

/// GPU of each rank, by the host's numbers, or with `shared` its place in the allocation.
std::string device_list(const LaunchTask& launch, bool shared) {
  std::map<int, int> before;
  std::vector<int> devices;
  for (const Location& rank : launch.placement.ranks)
    devices.push_back(shared ? before[rank.host]++ : rank.gpu);
  return fmt::format("{}", fmt::join(devices, ","));
}

/// Resources that the ranks need. Whole nodes have all GPUs, so that these have their numbers.
/// Where others leave less of one node than of another, a number for each asks for too much.
std::string resources(const LaunchTask& launch, bool on_gpus, bool shared) {
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  const auto gpus = [&](const PlacedNode& node) {
    return std::ssize(launch.topology.hosts()[node.host].gpus);
  };
  const auto ranks = std::ssize(launch.placement.ranks);
  const auto all = gpus(nodes.front());
  const int most = most_ranks_of(nodes);
  if (shared && std::ssize(nodes) * most > ranks)
    return fmt::format("#SBATCH --ntasks={0}\n#SBATCH --gpus={0}\n", ranks);
  std::string text = fmt::format("#SBATCH --ntasks-per-node={}\n", most);
  if (on_gpus && !shared) text += "#SBATCH --exclusive\n";
  if (shared || (on_gpus && std::ranges::count(nodes, all, gpus) == std::ssize(nodes)))
    text += fmt::format("#SBATCH --gpus-per-node={}\n", shared ? most : all);
  return text;
}

}  // namespace

std::optional<std::string> sbatch_script(const LaunchTask& launch) {
  require_host_names(launch);
  const bool on_gpus = launch.placement.ranks.front().gpu >= 0, shared = shares_gpus(launch);
  const std::size_t switches = leaf_switches(launch);
  const std::string text = fmt::format(
      "#!/bin/sh\n#SBATCH --nodes={}\n#SBATCH --nodelist={}\n{}{}"
      "# Start \"sbatch THIS PROGRAM\".\n"
      "SLURM_HOSTFILE=$(mktemp) || exit 1\n"
      "export SLURM_HOSTFILE\n"
      "trap 'rm -f \"$SLURM_HOSTFILE\"' EXIT\n"
      "cat > \"$SLURM_HOSTFILE\" <<'END'\n{}END\n"
      "{}srun -n {} --distribution=arbitrary",
      nodes_of(launch.placement).size(), host_list(launch),
      switches == 0 ? "" : fmt::format("#SBATCH --switches={}\n", switches),
      resources(launch, on_gpus, shared), slurm_hostfile(launch.placement, launch.topology),
      on_gpus ? fmt::format("export GPU_OF_RANK={}\n", device_list(launch, shared)) : "",
      launch.placement.ranks.size());
  if (!on_gpus) return text + " \"$@\"\n";
  // Slurm 22.05 lists a task's GPUs in CUDA_VISIBLE_DEVICES only without --gpu-bind.
  const char* of_allocation =
      "  : \"${CUDA_VISIBLE_DEVICES:?has no GPUs of the allocation}\"\n"
      "  gpu=$(echo \"$CUDA_VISIBLE_DEVICES\" | cut -d, -f$((gpu + 1)))\n";
  return text +
         fmt::format(
             "{} sh -c '\n  gpu=$(echo \"$GPU_OF_RANK\" | cut -d, -f$((SLURM_PROCID + 1)))\n{}"
             "  export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpu\n"
             "  exec \"$@\"' sh \"$@\"\n",
             shared ? "" : " --gpu-bind=none", shared ? of_allocation : "");
}

}  // namespace ringscope
