// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of whoever decides that hosts are equal: two hosts, of which one has another property.
#pragma once

#include <string>

#include "topologies/graph/topology.hpp"

namespace ringscope {

inline ComponentKind other_than(ComponentKind) { return ComponentKind::nvswitch; }
inline int other_than(int value) { return value + 1; }
inline Bytes other_than(Bytes value) { return {value.count + 1}; }
inline Bandwidth other_than(Bandwidth) { return {1.25e9}; }

/// Changes the property of that number, from 0 on; false if there is none.
inline bool change_property(Component& component, int number) {
  bool changed = false;
  const auto change = [&](auto& property) {
    if (number-- != 0) return;
    property = other_than(property);
    changed = true;
  };
  Component::visit(component,
                   [&](auto&, int, int, auto&... properties) { (change(properties), ...); });
  return changed;
}

/// A star of two hosts with a domain, a NIC and a PCIe switch each; `second` is that of the second
/// one. They can change places unless it differs from the first's.
inline Topology two_hosts(const Component& first, Component second) {
  Topology topology;
  const Vertex centre =
      topology.add_component({.kind = ComponentKind::network_switch, .name = "switch"});
  for (const std::string name : {"host0", "host1"}) {
    const int host = topology.add_host(name);
    const Vertex domain = topology.add_component(
        {.kind = ComponentKind::numa_domain, .name = name + "/numa0", .host = host, .cores = 1});
    const Vertex nic =
        topology.add_component({.kind = ComponentKind::nic, .name = name + "/nic0", .host = host});
    Component part = host == 0 ? first : second;
    part.name = name + "/" + part.name;
    part.host = host;
    topology.connect(domain, topology.add_component(part), {1e9}, Seconds(1e-6));
    topology.connect(domain, nic, {1e9}, Seconds(1e-6));
    topology.connect(nic, centre, {1e9}, Seconds(1e-6));
  }
  return topology;
}

inline Component pcie_switch() { return {.kind = ComponentKind::pcie_switch, .name = "pcie0"}; }

}  // namespace ringscope
