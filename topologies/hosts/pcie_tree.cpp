// SPDX-License-Identifier: LGPL-2.1-or-later
// Sockets with PCIe switches below them, and GPUs and NICs below the switches.
//
// Switches and GPUs are numbered through the host: with two switches per socket, switch 2 is the
// first one of socket 1.
#include <fmt/format.h>

#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

/// `count` devices of one kind below each parent, by what link.
struct Devices {
  int count = 0;
  Component component;  ///< its name without the number
  LinkPair link;        ///< forward leaves the device
};

Devices read_devices(Fields& fields, std::string_view count_key, std::string_view key,
                     const Component& component) {
  constexpr int most_devices = 64;
  Devices devices{0, component, {}};
  devices.count = fields.value_or(count_key, "1").whole(1, most_devices);
  Fields link(fields.required(key), std::string(key));
  devices.link = read_link(link);
  if (component.kind == ComponentKind::gpu) read_gpu(link, devices.component);
  link.finish();
  fields.resolve(key, link.resolved());
  return devices;
}

std::vector<Vertex> add_devices(const Devices& devices, const std::vector<Vertex>& parents,
                                Topology& topology, int host) {
  std::vector<Vertex> added;
  Component component = devices.component;
  component.host = host;
  const std::string& name = topology.hosts()[host].name;
  for (const Vertex parent : parents) {
    for (int i = 0; i < devices.count; ++i) {
      component.name = fmt::format("{}/{}{}", name, devices.component.name, added.size());
      added.push_back(topology.add_component(component));
      topology.connect(parent, added.back(), reversed(devices.link));
    }
  }
  return added;
}

}  // namespace

MakeHost read_pcie_tree(Fields& fields) {
  const Sockets sockets = read_sockets(fields);
  const Devices switches = read_devices(fields, "switches_per_socket", "switch_uplink",
                                        {.kind = ComponentKind::pcie_switch, .name = "pcie"});
  const Devices gpus =
      read_devices(fields, "gpus_per_switch", "gpu", {.kind = ComponentKind::gpu, .name = "gpu"});
  const GpuRules rules = read_gpu_rules(fields, sockets.count * switches.count * gpus.count);
  const auto nics = read_nics(fields, sockets.count, sockets.count * switches.count);
  return [=](Topology& topology, const std::string& name) {
    const int host = topology.add_host(name);
    const auto domains = add_sockets(sockets, topology, host);
    const auto below = add_devices(switches, domains, topology, host);
    add_devices(gpus, below, topology, host);
    apply(rules, topology, host);
    return BuiltHost{add_nics(nics, topology, host, domains, below)};
  };
}

}  // namespace ringscope
