// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/launch/launch_files.hpp"

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

}  // namespace ringscope
