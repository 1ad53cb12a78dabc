// SPDX-License-Identifier: LGPL-2.1-or-later
// The models of clusters that NVIDIA's topograph reads: switches above switches, and blocks of
// nodes below them.
//
//   switches: {core: {switches: [leaf1, leaf2]}}
//   blocks: [{switch: leaf1, nodes: ["n[01-16]"]}]
#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope {
namespace {

const Value* given(const Value& map, std::string_view key) {
  if (map.kind() != Value::Kind::map) map.fail("expected a map with the key '{}'", key);
  const Value* found = map.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

void read_block(const Value& block, SwitchTree& tree) {
  const Value* above = given(block, "switch");
  const Value* nodes = given(block, "nodes");
  if (above == nullptr || nodes == nullptr)
    block.fail("expected a block such as {switch: leaf1, nodes: [\"n[01-16]\"]}");
  if (!tree.has(above->text())) tree.add(*above);
  for (const Value& list : items_of(*nodes, "node"))
    for (const std::string& host : names_of_hostlist(list))
      tree.add_host(above->text(), host, list.place());
}

}  // namespace

Fabric read_topograph(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  const Value all = Value::from_text(source->name, source->text);
  SwitchTree tree;
  if (const Value* switches = given(all, "switches")) {
    if (switches->kind() != Value::Kind::map) switches->fail("expected a map of switches");
    for (const auto& [name, place, one] : switches->entries()) {
      tree.add(Value::scalar_at(place, name));
      if (const Value* children = one.is_null() ? nullptr : given(one, "switches"))
        for (const Value& list : items_of(*children, "switch"))
          for (const std::string& child : names_of_hostlist(list))
            tree.add_child(name, child, list.place());
    }
  }
  const Value* blocks = given(all, "blocks");
  if (blocks == nullptr) all.fail("expected the key 'blocks' here");
  for (const Value& block : items_of(*blocks, "block")) read_block(block, tree);
  return tree.fabric();
}

}  // namespace ringscope
