// SPDX-License-Identifier: LGPL-2.1-or-later
// A batch script of Slurm's: the nodes that the ranks need, and their start in the order of a
// SLURM_HOSTFILE that the script writes.
//
// Of a host that is not taken whole, Slurm chooses the GPUs: there a rank takes the i-th of those
// that its allocation has, in the order of the GPUs' numbers. Of nodes that are free Slurm would
// not know which of them the ranks use less, so it is asked for all of them. Source: Slurm,
// sbatch(1) and srun(1):
// --nodelist, --switches, --gpus, --distribution=arbitrary.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
namespace {

std::size_t count_leaves(const LaunchTask& launch) {
  std::set<Vertex> leaves;
  for (const Location& rank : launch.placement.ranks)
    leaves.merge(leaf_switches(launch.topology, rank.host));
  return leaves.size();
}

/// GPUs of each node that the script asks for: those of the ranks, or all.
std::vector<std::size_t> gpus_asked(const LaunchTask& launch, bool parts) {
  std::vector<std::size_t> gpus;
  for (const PlacedNode& node : nodes_of(launch.placement))
    gpus.push_back(parts ? node.devices().size() : launch.topology.hosts()[node.host].gpus.size());
  return gpus;
}

bool are_even(const std::vector<std::size_t>& gpus) {
  return std::ranges::count(gpus, gpus.front()) == std::ssize(gpus);
}

/// GPU of each rank, by the host's numbers or by its place in the allocation.
std::string device_list(const LaunchTask& launch, bool parts) {
  Table<int> devices(launch.placement.ranks.size(), 0);
  for (const PlacedNode& node : nodes_of(launch.placement)) {
    const std::vector<int> own = parts ? own_gpus(launch, node) : node.gpus;
    for (std::size_t i = 0; i < own.size(); ++i) devices[node.ranks[i]] = own[i];
  }
  return fmt::format("{}", fmt::join(devices, ","));
}

/// Resources that the ranks need. Whole nodes have all GPUs, so that these have their numbers.
/// Where others leave less of one node than of another, a number for each asks for too much.
std::string resources(const LaunchTask& launch, bool on_gpus, bool parts) {
  const std::vector<std::size_t> gpus = gpus_asked(launch, parts);
  if (parts && !are_even(gpus))
    return fmt::format("#SBATCH --ntasks={}\n#SBATCH --gpus={}\n", launch.placement.ranks.size(),
                       std::accumulate(gpus.begin(), gpus.end(), std::size_t{0}));
  std::string text =
      fmt::format("#SBATCH --ntasks-per-node={}\n", most_ranks_of(nodes_of(launch.placement)));
  if (on_gpus && !parts) text += "#SBATCH --exclusive\n";
  if (on_gpus && are_even(gpus)) text += fmt::format("#SBATCH --gpus-per-node={}\n", gpus.front());
  return text;
}

}  // namespace

std::optional<std::string> sbatch_script(const LaunchTask& launch) {
  const bool on_gpus = launch.placement.ranks.front().gpu >= 0, some = takes_parts(launch);
  const bool parts = some && (shares_gpus(launch) || are_even(gpus_asked(launch, true)));
  const std::size_t switches = count_leaves(launch);
  const std::string text = fmt::format(
      "#!/bin/sh\n#SBATCH --nodes={}\n#SBATCH --nodelist={}\n{}{}{}# Start \"sbatch THIS "
      "PROGRAM\".\n"
      "SLURM_HOSTFILE=$(mktemp) || exit 1\n"
      "export SLURM_HOSTFILE\n"
      "trap 'rm -f \"$SLURM_HOSTFILE\"' EXIT\n"
      "cat > \"$SLURM_HOSTFILE\" <<'END'\n{}END\n"
      "{}srun -n {} --distribution=arbitrary",
      nodes_of(launch.placement).size(), host_list(launch),
      switches == 0 ? "" : fmt::format("#SBATCH --switches={}\n", switches),
      resources(launch, on_gpus, parts),
      parts  ? "# Slurm chooses the GPUs of hosts not taken whole: others than placed, maybe.\n"
      : some ? "# Takes whole nodes, since the ranks use more GPUs of one node than of another.\n"
             : "",
      slurm_hostfile(launch.placement, launch.topology),
      on_gpus ? fmt::format("export GPU_OF_RANK={}\n", device_list(launch, parts)) : "",
      launch.placement.ranks.size());
  if (!on_gpus) return text + " \"$@\"\n";
  // Slurm 22.05 lists a task's GPUs in CUDA_VISIBLE_DEVICES only without --gpu-bind.
  const char* of_allocation =
      "  : \"${CUDA_VISIBLE_DEVICES:?has no GPUs of the allocation}\"\n"
      "  gpu=$(echo \"$CUDA_VISIBLE_DEVICES\" | cut -d, -f$((gpu + 1)))\n";
  return text + fmt::format(
                    "{} sh -c '\n  gpu=$(echo \"$GPU_OF_RANK\" | cut -d, -f$((SLURM_PROCID + "
                    "1)))\n{}  export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpu\n"
                    "  exec \"$@\"' sh \"$@\"\n",
                    parts ? "" : " --gpu-bind=none", parts ? of_allocation : "");
}

}  // namespace ringscope
