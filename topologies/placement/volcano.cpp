// SPDX-License-Identifier: LGPL-2.1-or-later
// A job of Volcano: one task of one pod for each host, since the pods of a task have one template,
// and so one node selector.
//
// Sources: Volcano's VolcanoJob (batch.volcano.sh/v1alpha1) and its plugins svc and env; the label
// kubernetes.io/hostname of Kubernetes' well-known labels; nvidia.com/gpu of NVIDIA's device
// plugin. Read from these documents; no such job was run.
#include <fmt/format.h>

#include "topologies/placement/launch_formats.hpp"
#include "topologies/placement/nodes.hpp"

namespace ringscope {
namespace {

/// A pod requests all GPUs of its host, because a container numbers its own GPUs from 0.
std::string gpus_of(const PlacedNode& node, const Host& host) {
  if (node.gpus.empty()) return "";
  return fmt::format(
      "                - {{name: CUDA_DEVICE_ORDER, value: PCI_BUS_ID}}\n"
      "                - {{name: CUDA_VISIBLE_DEVICES, value: \"{}\"}}\n"
      "              resources: {{limits: {{nvidia.com/gpu: {}}}}}\n",
      node.gpus, host.gpus.size());
}

std::optional<std::string> volcano_job(const LaunchTask& launch) {
  if (shares_gpus(launch)) return {};
  const std::vector<PlacedNode> nodes = nodes_of(launch.placement);
  std::string text = fmt::format(
      "# One pod on each host; RANKS says which ranks it starts{}. Put in IMAGE and PROGRAM.\n"
      "apiVersion: batch.volcano.sh/v1alpha1\n"
      "kind: Job\n"
      "metadata: {{name: placed}}\n"
      "spec:\n"
      "  schedulerName: volcano\n"
      "  minAvailable: {}\n"
      "  plugins: {{env: [], svc: []}}\n"
      "  tasks:\n",
      launch.groups.empty() ? "" : ", numbered by the groups' order " + launch.groups,
      nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Host& host = launch.topology.hosts()[nodes[i].host];
    text += fmt::format(
        "    - name: node-{0}\n"
        "      replicas: 1\n"
        "      template:\n"
        "        spec:\n"
        "          restartPolicy: Never\n"
        "          nodeSelector: {{kubernetes.io/hostname: \"{1}\"}}\n"
        "          containers:\n"
        "            - name: ranks\n"
        "              image: IMAGE\n"
        "              command: [PROGRAM]\n"
        "              env:\n"
        "                - {{name: NODE_RANK, value: \"{0}\"}}\n"
        "                - {{name: RANKS, value: \"{2}\"}}\n{3}",
        i, host.name, nodes[i].ranks, gpus_of(nodes[i], host));
  }
  return text;
}

}  // namespace

LaunchFormat volcano_format() {
  return {"volcano",
          "write it as a job of Volcano, a task for each host",
          LaunchSays::host_and_gpu,
          volcano_job,
          [](const LaunchTask&, const std::string& file) {
            return fmt::format("kubectl create -f {}", file);
          },
          "a pod requests all GPUs of its host, and a background job uses some of them on a host "
          "of the best placement; --taken HOST keeps the job off that host, and --rankfile with "
          "--gpus starts any placement"};
}

}  // namespace ringscope
