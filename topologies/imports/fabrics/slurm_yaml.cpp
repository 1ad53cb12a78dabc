// SPDX-License-Identifier: LGPL-2.1-or-later
// Slurm's topology.yaml: a list of topologies, of which the cluster's default is taken.
//
//   - topology: fat
//     cluster_default: true
//     tree:
//       switches:
//         - {switch: core, children: leaf[1-2]}
//         - {switch: leaf1, nodes: "n[01-16]"}
#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope {
namespace {

const Value& member(const Value& map, std::string_view key) {
  const Value* found = map.kind() == Value::Kind::map ? map.find(key) : nullptr;
  if (found == nullptr || found->is_null()) map.fail("expected the key '{}' here", key);
  return *found;
}

void read_one(const Value& item, std::string_view key, SwitchTree& tree) {
  const Value& name = member(item, key);
  tree.add(name);
  if (const Value* nodes = item.find("nodes"))
    for (const std::string& host : names_of_hostlist(*nodes))
      tree.add_host(name.text(), host, nodes->place());
  if (const Value* children = item.find("children"))
    for (const std::string& child : names_of_hostlist(*children))
      tree.add_child(name.text(), child, children->place());
}

/// The cluster's default, or the first.
const Value& chosen(const std::vector<Value>& topologies) {
  for (const Value& one : topologies) {
    const Value* is_default =
        one.kind() == Value::Kind::map ? one.find("cluster_default") : nullptr;
    if (is_default != nullptr && is_default->boolean()) return one;
  }
  return topologies.front();
}

}  // namespace

Fabric read_slurm_yaml(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  const Value all = Value::from_text(source->name, source->text);
  const auto& topologies = items_of(all, "topology");
  const Value& one = chosen(topologies);
  const std::string name = member(one, "topology").text();
  SwitchTree tree;
  if (const Value* blocks = one.find("block")) {
    for (const Value& item : items_of(member(*blocks, "blocks"), "block"))
      read_one(item, "block", tree);
  } else {
    for (const Value& item : items_of(member(member(one, "tree"), "switches"), "switch"))
      read_one(item, "switch", tree);
  }
  Fabric fabric = tree.fabric();
  if (topologies.size() > 1) fabric.note("omitted: the other topologies; this one is '{}'", name);
  return fabric;
}

}  // namespace ringscope
