// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/launch/launch_formats.hpp"

#include <fmt/ranges.h>

#include "topologies/input/characters.hpp"
#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
namespace {

const Host& host_of(const Topology& topology, const Location& rank) {
  return topology.hosts()[rank.host];
}

/// A socket, and the number that a domain's first core has in it.
struct Socket {
  int number = 0;
  int first_core = 0;
};

/// Domains that do not say so are sockets of their own.
Socket socket_of(const Topology& topology, const Host& host, int numa) {
  Socket socket;
  const auto socket_at = [&](int index) {
    const int number = topology.graph()[host.numa_domains[index]].socket;
    return number >= 0 ? number : index;
  };
  socket.number = socket_at(numa);
  for (int before = 0; before < numa; ++before)
    if (socket_at(before) == socket.number)
      socket.first_core += topology.graph()[host.numa_domains[before]].cores;
  return socket;
}

std::string slot_text(const Topology& topology, const Location& rank) {
  const Host& host = host_of(topology, rank);
  if (rank.binding == Binding::host) {
    const int cores = cores_of(topology, rank.host);
    return cores > 1 ? fmt::format("0-{}", cores - 1) : "0";
  }
  const Socket socket = socket_of(topology, host, rank.numa);
  if (rank.binding == Binding::core)
    return fmt::format("{}:{}", socket.number, socket.first_core + rank.core);
  const int cores = topology.graph()[host.numa_domains[rank.numa]].cores;
  return fmt::format("{}:{}-{}", socket.number, socket.first_core, socket.first_core + cores - 1);
}

struct HostBlock {
  int host = 0;
  int ranks = 0;
};

/// Ranks that follow each other on one host.
std::vector<HostBlock> host_blocks(const Placement& placement) {
  Table<HostBlock> result;
  for (const Location& rank : placement.ranks) {
    if (result.empty() || result.back().host != rank.host) result.push_back({rank.host, 0});
    ++result.back().ranks;
  }
  return result;
}

bool comes_back(const Placement& placement) {
  return host_blocks(placement).size() > nodes_of(placement).size();
}

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

std::string rankfile(const Placement& placement, const Topology& topology) {
  std::string text;
  int number = 0;
  for (const Location& rank : placement.ranks)
    text += fmt::format("rank {}={} slot={}\n", number++, host_of(topology, rank).name,
                        slot_text(topology, rank));
  return text;
}

std::string hostfile(const Placement& placement, const Topology& topology) {
  std::string lines;
  for (const HostBlock& block : host_blocks(placement))
    lines += fmt::format("{}:{}\n", topology.hosts()[block.host].name, block.ranks);
  if (!comes_back(placement)) return lines;
  return "# The ranks come back to a host. MPICH fills this list line by line; for Open MPI take a "
         "rankfile.\n" +
         lines;
}

std::string machinefile(const Placement& placement, const Topology& topology) {
  if (!comes_back(placement)) return hostfile(placement, topology);
  std::string command = "mpiexec", lines;
  const auto name = [&](int host) { return topology.hosts()[host].name; };
  for (const HostBlock& block : host_blocks(placement))
    command += fmt::format("{} -n {} -host {} PROGRAM", command == "mpiexec" ? "" : " :",
                           block.ranks, name(block.host));
  for (const PlacedNode& node : nodes_of(placement))
    lines += fmt::format("{}:{}\n", name(node.host), node.ranks.size());
  return "# The ranks come back to a host; in that order they are started by\n# " + command + "\n" +
         lines;
}

std::string gpu_script(const Placement& placement, const Topology& topology) {
  std::string text =
      "#!/bin/sh\n# Gives each rank its GPU: the launcher starts \"sh THIS PROGRAM\".\n"
      "rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-$SLURM_PROCID}}}\n"
      "case $rank in\n";
  int number = 0;
  for (const Location& rank : placement.ranks)
    text += fmt::format("{}) gpu={} ;; # {}\n", number++, rank.gpu, host_of(topology, rank).name);
  return text +
         fmt::format(
             "*) echo \"rank '$rank' is none of the {} that have a GPU here\" >&2; exit 1 ;;\n",
             number) +
         "esac\n"
         "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpu\n"
         "exec \"$@\"\n";
}

std::optional<std::string> torchrun_script(const Placement& placement, const Topology& topology) {
  const std::vector<PlacedNode> nodes = nodes_of(placement);
  if (!go_node_by_node(nodes)) return {};
  const auto name = [&](const PlacedNode& node) { return topology.hosts()[node.host].name; };
  std::string text =
      "#!/bin/sh\n# On every host: \"sh THIS PROGRAM\". Local rank i has device i of its process.\n"
      "host=${RINGSCOPE_HOST:-$(hostname -s)}\n"
      "case $host in\n";
  for (std::size_t number = 0; number < nodes.size(); ++number)
    text += fmt::format("{}) node={} gpus={} ;;\n", in_shell_quotes(name(nodes[number])), number,
                        fmt::join(nodes[number].gpus, ","));
  text +=
      "*) echo \"$host has no rank here; set RINGSCOPE_HOST to this host's name\" >&2; exit 1 ;;\n";
  return text + fmt::format(
                    "esac\n"
                    "first={}\n"
                    "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpus\n"
                    "exec torchrun --nnodes={} --nproc-per-node={} --node-rank=$node \\\n"
                    "  --master-addr=\"${{MASTER_ADDR:-$first}}\" "
                    "--master-port=\"${{MASTER_PORT:-29500}}\" \"$@\"\n",
                    in_shell_quotes(name(nodes.front())), nodes.size(), nodes.front().ranks.size());
}

std::string slurm_hostfile(const Placement& placement, const Topology& topology) {
  std::string text;
  for (const Location& rank : placement.ranks) text += host_of(topology, rank).name + '\n';
  return text;
}

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
