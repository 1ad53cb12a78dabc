// SPDX-License-Identifier: LGPL-2.1-or-later
// `kubectl get nodes -o json`: labels of nodes say what holds them.
//
// Sources: Kubernetes, "Well-Known Labels"; Google Cloud, "Schedule GKE workloads with Topology
// Aware Scheduling"; Amazon EKS, "Place distributed AI/ML workloads with network topology labels";
// NVIDIA topograph, "Node Labels and Annotations"; nvidia.com/gpu.clique of GPU feature discovery:
// an NVLink domain as ClusterUUID.CliqueId.
#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/json_items.hpp"

namespace ringscope {

extern const char* const labels_yml;

Fabric read_kubernetes(const std::shared_ptr<const Source>& source, const FabricLabels& named) {
  FabricLabels labels = each_of(Value::from_text("labels.yml", labels_yml).items(), &Value::text);
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

}  // namespace ringscope
