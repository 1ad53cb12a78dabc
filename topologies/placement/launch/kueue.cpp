// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of pods and nodes that Kueue's topology-aware scheduling keeps of an admitted workload,
// for one pod on each host: pod i of an Indexed Job is the i-th domain.
//
// Kueue makes that table itself, from its Topology and what is free; it takes none from the user.
// This one says what it would have to be, to compare with
// `kubectl get workload -o jsonpath={.status.admission}`, or for a controller of one's own.
// Sources: Kueue's KEP 2724 (topology-aware scheduling), "Internal APIs" and "Enforcing the
// assignment": levels, domains with values and count; its TopologyUngater gives pods with an index
// label the domains in their order. Read from these documents; nothing was run.
#include <fmt/format.h>

#include "topologies/placement/launch/launch_files.hpp"
#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
namespace {

/// Ranks are numbered through pods: equally many in each, one pod after the other.
bool numbers_through(const Placement& placement, std::size_t nodes) {
  const std::size_t ranks = placement.ranks.size(), each = ranks / nodes;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (ranks % nodes != 0 ||
        placement.ranks[rank].host != placement.ranks[rank / each * each].host)
      return false;
  return true;
}

}  // namespace

std::optional<std::string> topology_assignment(const LaunchTask& launch) {
  require_host_names(launch);
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  if (!numbers_through(launch.placement, nodes.size())) return {};
  std::string text = fmt::format(
      "# Pod i, by the label batch.kubernetes.io/job-completion-index, runs in domain i{}.\n{}"
      "topologyAssignment:\n"
      "  levels: [kubernetes.io/hostname]\n"
      "  domains:\n",
      launch.groups.empty() ? "" : "; groups in the order " + launch.groups,
      shares_gpus(launch) ? "# GPUs have the numbers of their host. Background jobs use others "
                            "there, and a container\n# numbers its own from 0.\n"
                          : "");
  for (const PlacedNode& node : nodes)
    text += fmt::format("    - {{values: [\"{}\"], count: 1}}    # ranks {}{}\n",
                        launch.topology.hosts()[node.host].name, node.ranks,
                        node.gpus.empty() ? "" : " on GPUs " + node.gpus);
  return text;
}

}  // namespace ringscope
