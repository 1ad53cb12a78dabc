// SPDX-License-Identifier: LGPL-2.1-or-later
// `kubectl get nodes -o json`, or `kubectl get nodes,pods -A -o json`, whose pods use part of their
// nodes. A node takes no more pods if it is unschedulable, not ready, or has a taint; GPU operators
// mark nodes by a taint that pods with GPUs tolerate.
//
// Source: Kubernetes' API reference, Node v1 and Pod v1; "Taints and Tolerations".
#include <algorithm>
#include <charconv>
#include <map>

#include "topologies/imports/json_items.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"

namespace ringscope {
namespace {

constexpr std::int64_t thousand = 1000;

/// CPUs in thousandths, which pods request, and GPUs.
struct Resources {
  std::int64_t cpus = 0, gpus = 0;
};

/// A quantity in thousandths: 3000 of "3", 500 of "500m".
std::int64_t thousandths(const std::string& quantity) {
  constexpr std::int64_t most = 1'000'000'000;
  std::int64_t number = 0;
  std::from_chars(quantity.data(), quantity.data() + quantity.size(), number);
  return std::clamp<std::int64_t>(number, 0, most) * (quantity.ends_with('m') ? 1 : thousand);
}

/// Adds the resources, {"cpu": "95", "nvidia.com/gpu": "8"}.
void add(const Json& resources, Resources& sum) {
  for (const auto& [name, quantity] : resources.items()) {
    if (name == "cpu") sum.cpus += thousandths(quantity);
    if (name.ends_with(".com/gpu")) sum.gpus += thousandths(quantity) / thousand;
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
  std::vector<std::pair<std::string, Resources>> free;
  std::map<std::string, Resources> used;
  each_item(source, "items", [&](const Json& item) {
    const std::string kind = item.value("kind", "");
    if (kind != "Node" && kind != "Pod") return;
    const Json &spec = item.at("spec"), &status = item.at("status");
    if (kind == "Node") {
      free.emplace_back(item.at("metadata").at("name"), Resources());
      if (takes_pods(spec, status)) add(status.at("allocatable"), free.back().second);
    } else if (const std::string phase = status.at("phase");
               phase != "Succeeded" && phase != "Failed") {
      Resources& there = used[spec.value("nodeName", "")];
      for (const Json& container : spec.at("containers"))
        add(container.value("resources", Json::object()).value("requests", Json::object()), there);
    }
  });
  ListedNodes nodes;
  for (const auto& [name, all] : free) {
    const Resources& pods = used[name];
    const auto left = [](std::int64_t units) {
      return static_cast<int>(std::max<std::int64_t>(0, units));
    };
    nodes.push_back({name,
                     {source, 0, 0},
                     left((all.cpus - pods.cpus) / thousand),
                     left(all.gpus - pods.gpus)});
  }
  return nodes;
}

}  // namespace ringscope
