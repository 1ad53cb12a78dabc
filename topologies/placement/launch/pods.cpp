// SPDX-License-Identifier: LGPL-2.1-or-later
// Jobs of Kubernetes with one pod for each host, since the pods of a task (Volcano) or of a job
// (JobSet) have one template, and so one node selector. Of a JobSet, the first pod's name is the
// address at which the others meet.
//
// A pod requests the GPUs that its ranks use, and a container numbers them from 0. Where these are
// all of the host, the numbers are the host's; else Kubernetes chooses which ones.
//
// Sources: Volcano's VolcanoJob (batch.volcano.sh/v1alpha1) and its plugins svc and env; the JobSet
// API (jobset.x-k8s.io/v1alpha2) and its example pytorch/cnn-mnist; Kueue, "Run a JobSet"; the
// label kubernetes.io/hostname of Kubernetes' well-known labels; nvidia.com/gpu of NVIDIA's device
// plugin. Read from these documents; no such job was run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/placement/launch/nodes.hpp"

namespace ringscope {
namespace {

std::string between_quotes(const std::string& text) { return '"' + text + '"'; }

std::string pods_comment(const LaunchTask& launch) {
  return fmt::format(
      "# One pod on each host; RANKS lists the ranks that it starts{}. Put in IMAGE "
      "and PROGRAM.\n{}",
      launch.groups.empty() ? "" : ", numbered by the groups' order " + launch.groups,
      takes_parts(launch) ? "# Pods with some of a host's GPUs number them from 0. Kubernetes "
                            "chooses which: others than placed, maybe.\n"
                          : "");
}

/// The spec of a node's pod, each line behind `indent`; `first`: address of the first pod, where it
/// is not "".
std::string pod_spec(const LaunchTask& launch, const PlacedNode& node, std::size_t number,
                     const std::string& first, const std::string& indent) {
  const Host& host = launch.topology.hosts()[node.host];
  std::string text;
  const auto line = [&](const std::string& one) { text += indent + one + '\n'; };
  const auto variable = [&](std::string_view name, std::string_view value) {
    line(fmt::format("      - {{name: {}, value: {}}}", name, value));
  };
  line("restartPolicy: Never");
  line(fmt::format("nodeSelector: {{kubernetes.io/hostname: {}}}", between_quotes(host.name)));
  for (const char* one :
       {"containers:", "  - name: ranks", "    image: IMAGE", "    command: [PROGRAM]", "    env:"})
    line(one);
  variable("NODE_RANK", between_quotes(std::to_string(number)));
  variable("RANKS", between_quotes(fmt::format("{}", fmt::join(node.ranks, ","))));
  if (!first.empty()) variable("MASTER_ADDR", first);
  if (node.gpus.empty()) return text;
  variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  variable("CUDA_VISIBLE_DEVICES",
           between_quotes(fmt::format("{}", fmt::join(own_gpus(launch, node), ","))));
  line(fmt::format("    resources: {{limits: {{nvidia.com/gpu: {}}}}}", node.devices().size()));
  return text;
}

}  // namespace

std::optional<std::string> volcano_job(const LaunchTask& launch) {
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  std::string text = fmt::format(
      "{}apiVersion: batch.volcano.sh/v1alpha1\n"
      "kind: Job\nmetadata: {{name: placed}}\nspec:\n"
      "  schedulerName: volcano\n  minAvailable: {}\n  plugins: {{env: [], svc: []}}\n  tasks:\n",
      pods_comment(launch), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text +=
        fmt::format("    - name: node-{}\n      replicas: 1\n      template:\n        spec:\n{}", i,
                    pod_spec(launch, nodes[i], i, "", "          "));
  return text;
}

std::optional<std::string> jobset(const LaunchTask& launch) {
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  std::string text = pods_comment(launch) +
                     "# For Kueue add metadata.labels: {kueue.x-k8s.io/queue-name: QUEUE}.\n"
                     "apiVersion: jobset.x-k8s.io/v1alpha2\n"
                     "kind: JobSet\nmetadata: {name: placed}\nspec:\n  replicatedJobs:\n";
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += fmt::format(
        "    - name: node-{}\n      template:\n        spec:\n"
        "          parallelism: 1\n          completions: 1\n"
        "          completionMode: Indexed\n          backoffLimit: 0\n"
        "          template:\n            spec:\n{}",
        i, pod_spec(launch, nodes[i], i, "placed-node-0-0-0.placed", "              "));
  return text;
}

// The table of pods and nodes that Kueue's topology-aware scheduling keeps of an admitted workload,
// for one pod on each host: pod i of an Indexed Job is the i-th domain.
//
// Kueue makes that table itself, from its Topology and what is free; it takes none from the user.
// This one says what it would have to be, to compare with
// `kubectl get workload -o jsonpath={.status.admission}`, or for a controller of one's own.
// Sources: Kueue's KEP 2724 (topology-aware scheduling), "Internal APIs" and "Enforcing the
// assignment": levels, domains with values and count; its TopologyUngater gives pods with an index
// label the domains in their order. Read from these documents; nothing was run.
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
