// SPDX-License-Identifier: LGPL-2.1-or-later
// `kubectl get nodes -o json`, or `kubectl get nodes,pods -A -o json`, whose pods use part of their
// nodes. A node takes no more pods if it is unschedulable, not ready, or has a taint; GPU operators
// mark nodes by a taint that pods with GPUs tolerate.
//
// Source: Kubernetes' API reference, Node v1 and Pod v1; "Taints and Tolerations".
#include <algorithm>
#include <charconv>
#include <map>

#include "topologies/imports/schedulers/node_lists.hpp"

namespace ringscope {
namespace {

using Json = nlohmann::json;

/// Whole units of a quantity: 3 of "3" and of "3900m".
int whole_units(const std::string& quantity) {
  constexpr int in_thousandths = 1000;
  int number = 0;
  std::from_chars(quantity.data(), quantity.data() + quantity.size(), number);
  return quantity.ends_with('m') ? number / in_thousandths : number;
}

/// Adds the resources, {"cpu": "95", "nvidia.com/gpu": "8"}.
void add(const Json& resources, ListedNode& node) {
  for (const auto& [name, quantity] : resources.items()) {
    if (name == "cpu") node.cores += whole_units(quantity);
    if (name.ends_with(".com/gpu")) node.gpus += whole_units(quantity);
  }
}

bool takes_pods(const Json& spec, const Json& status) {
  bool takes = !spec.value("unschedulable", false);
  for (const Json& taint : spec.value("taints", Json::array()))
    takes = takes && (taint.at("effect") == "PreferNoSchedule" ||
                      taint.at("key").get<std::string>().ends_with(".com/gpu"));
  for (const Json& condition : status.value("conditions", Json::array()))
    takes = takes && (condition.at("type") != "Ready" || condition.at("status") == "True");
  return takes;
}

}  // namespace

ListedNodes read_kubernetes_nodes(const SourcePointer& source) {
  ListedNodes nodes;
  std::map<std::string, ListedNode> used;
  each_item(source, "items", [&](const Json& item) {
    const std::string kind = item.value("kind", "");
    if (kind != "Node" && kind != "Pod") return;
    const Json &spec = item.at("spec"), &status = item.at("status");
    if (kind == "Node") {
      nodes.push_back({item.at("metadata").at("name"), {source, 0, 0}, 0, 0});
      if (takes_pods(spec, status)) add(status.at("allocatable"), nodes.back());
    } else if (const std::string phase = status.at("phase");
               phase != "Succeeded" && phase != "Failed") {
      ListedNode& there =
          used.try_emplace(spec.value("nodeName", ""), ListedNode{"", {}, 0, 0}).first->second;
      for (const Json& container : spec.at("containers"))
        add(container.value("resources", Json::object()).value("requests", Json::object()), there);
    }
  });
  for (ListedNode& node : nodes)
    if (const auto pods = used.find(node.name); pods != used.end()) {
      node.cores = std::max(0, node.cores - pods->second.cores);
      node.gpus = std::max(0, node.gpus - pods->second.gpus);
    }
  return nodes;
}

}  // namespace ringscope
