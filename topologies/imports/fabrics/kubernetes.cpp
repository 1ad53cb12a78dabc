// SPDX-License-Identifier: LGPL-2.1-or-later
// `kubectl get nodes -o json`: labels of nodes say what holds them.
//
// Sources: Kubernetes, "Well-Known Labels"; Google Cloud, "Schedule GKE workloads with Topology
// Aware Scheduling"; Amazon EKS, "Place distributed AI/ML workloads with network topology labels";
// NVIDIA topograph, "Node Labels and Annotations"; nvidia.com/gpu.clique of GPU feature discovery:
// an NVLink domain as ClusterUUID.CliqueId.
#include "topologies/imports/fabrics/fabrics.hpp"
#include "topologies/imports/fabrics/label_tree.hpp"
#include "topologies/imports/json_items.hpp"

namespace ringscope {
namespace {

// The outer ones first.
constexpr const char* known_labels[] = {
    "topology.kubernetes.io/region",           "topology.kubernetes.io/zone",
    "topology.k8s.aws/network-node-layer-1",   "topology.k8s.aws/network-node-layer-2",
    "topology.k8s.aws/network-node-layer-3",   "topology.k8s.aws/network-node-layer-4",
    "cloud.google.com/gce-topology-block",     "cloud.google.com/gce-topology-subblock",
    "cloud.google.com/gce-topology-host",      "network.topology.nvidia.com/core",
    "network.topology.nvidia.com/spine",       "network.topology.nvidia.com/leaf",
    "network.topology.nvidia.com/accelerator", "nvidia.com/gpu.clique",
};

bool is_kubernetes(std::string_view text) {
  return text.find("\"items\"") != text.npos && text.find("\"Node\"") != text.npos;
}

Fabric read_kubernetes(const std::shared_ptr<const Source>& source, const FabricLabels& named) {
  FabricLabels labels(std::begin(known_labels), std::end(known_labels));
  labels.insert(labels.end(), named.begin(), named.end());
  std::vector<LabelledHost> hosts;
  each_item(source, "items", [&](const Json& item) {
    if (item.value("kind", "") != "Node") return;
    const Json &metadata = item.at("metadata"), none = Json::object();
    const Json said = metadata.value("labels", none);
    const Json capacity = item.value("status", none).value("capacity", none);
    LabelledHost host{metadata.at("name"), {source, 0, 0}};
    for (const std::string& label : labels) host.values.push_back(said.value(label, ""));
    host.cpus = whole_number(capacity.value("cpu", "")).value_or(0);
    host.gpus = whole_number(capacity.value("nvidia.com/gpu", "")).value_or(0);
    hosts.push_back(std::move(host));
  });
  return fabric_of_labels(labels, hosts);
}

}  // namespace

FabricFormat describe_kubernetes() {
  return {"kubernetes", "`kubectl get nodes -o json`", is_kubernetes, read_kubernetes};
}

}  // namespace ringscope
