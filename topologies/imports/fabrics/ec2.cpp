// SPDX-License-Identifier: LGPL-2.1-or-later
// `aws ec2 describe-instance-topology`: NetworkNodes of an instance are the switches above it, from
// the top down; the last one it is plugged into. Source: Amazon EC2 API, InstanceTopology.
#include <regex>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/json_items.hpp"

namespace ringscope {

Fabric read_ec2(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  const FabricLabels layers = {"layer 1", "layer 2", "layer 3", "layer 4"};
  std::vector<LabelledHost> hosts;
  each_item(source, "Instances", [&](const nlohmann::json& instance) {
    LabelledHost host{instance.at("InstanceId"), {source, 0, 0}};
    const nlohmann::json& nodes = instance.at("NetworkNodes");
    if (!nodes.is_null()) host.values = nodes.get<std::vector<std::string>>();
    if (host.values.size() > layers.size())
      throw InputError(host.place, "{}: expected at most {} NetworkNodes, got {}", host.name,
                       layers.size(), host.values.size());
    // Where some hosts have three layers and some four, the last one of three is a layer above.
    host.values.resize(layers.size(), host.values.empty() ? "" : std::string(host.values.back()));
    hosts.push_back(std::move(host));
  });
  Fabric fabric = fabric_of_labels(layers, hosts);
  static const std::regex more(R"("NextToken" ?: ?")");  // no star: it recurses
  if (std::regex_search(source->text, more))
    fabric.note("omitted: instances of later pages, because the file ends with a NextToken");
  return fabric;
}

}  // namespace ringscope
