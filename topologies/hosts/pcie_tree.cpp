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
  Bandwidth bandwidth;
  Seconds latency{};
  Bytes capacity{};
};

Devices read_devices(Fields& fields, std::string_view count_key, std::string_view key,
                     bool memory) {
  constexpr int most_devices = 64;
  Devices devices;
  devices.count = static_cast<int>(fields.value_or(count_key, "1").integer(1, most_devices));
  Fields link(fields.required(key), std::string(key));
  devices.bandwidth = link.required("bandwidth").bandwidth();
  devices.latency = link.required("latency").seconds();
  if (memory) devices.capacity = link.value_or("memory", "0 B").bytes();
  link.finish();
  fields.resolve(key, link.resolved());
  return devices;
}

std::vector<Vertex> add_devices(const Devices& devices, Component component,
                                const std::vector<Vertex>& parents, Topology& topology) {
  std::vector<Vertex> added;
  const std::string stem = component.name;
  component.capacity = devices.capacity;
  for (const Vertex parent : parents) {
    for (int i = 0; i < devices.count; ++i) {
      component.name = fmt::format("{}{}", stem, added.size());
      added.push_back(topology.add_component(component));
      topology.connect(parent, added.back(), devices.bandwidth, devices.latency);
    }
  }
  return added;
}

MakeHost read_pcie_tree(Fields& fields) {
  const Sockets sockets = read_sockets(fields);
  const Devices switches = read_devices(fields, "switches_per_socket", "switch_uplink", false);
  const Devices gpus = read_devices(fields, "gpus_per_switch", "gpu", true);
  const auto nics = read_nics(fields, sockets.count, sockets.count * switches.count);
  return [=](Topology& topology, const std::string& name) {
    const int host = topology.add_host(name);
    const auto domains = add_sockets(sockets, topology, host);
    const auto below = add_devices(
        switches, {.kind = ComponentKind::pcie_switch, .name = name + "/pcie", .host = host},
        domains, topology);
    add_devices(gpus, {.kind = ComponentKind::gpu, .name = name + "/gpu", .host = host}, below,
                topology);
    return BuiltHost{add_nics(nics, topology, host, domains, below)};
  };
}

}  // namespace

HostType describe_pcie_tree() {
  return {"pcie_tree", "sockets, PCIe switches, GPUs and NICs", read_pcie_tree};
}

}  // namespace ringscope
