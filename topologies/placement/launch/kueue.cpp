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
#include <fmt/ranges.h>

#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
std::optional<std::string> topology_assignment(const LaunchTask& launch) {
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  if (!go_node_by_node(nodes)) return {};
  std::string text = fmt::format(
      "# Pod i, by the label batch.kubernetes.io/job-completion-index, runs in domain i{}.\n{}"
      "topologyAssignment:\n"
      "  levels: [kubernetes.io/hostname]\n"
      "  domains:\n",
      launch.groups.empty() ? "" : "; groups in the order " + launch.groups,
      takes_parts(launch) ? "# GPUs have the numbers of their host, of which the ranks use some. A "
                            "container\n# numbers its own from 0.\n"
                          : "");
  for (const PlacedNode& node : nodes)
    text +=
        fmt::format("    - {{values: [\"{}\"], count: 1}}    # ranks {}{}\n",
                    launch.topology.hosts()[node.host].name, fmt::join(node.ranks, ","),
                    node.gpus.empty() ? "" : fmt::format(" on GPUs {}", fmt::join(node.gpus, ",")));
  return text;
}

}  // namespace ringscope
