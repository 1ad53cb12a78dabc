// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

// One NUMA domain with its cores, and one NIC attached without limit.

MakeHost read_simple(Fields& fields) {
  return [sockets = read_one_socket(fields)](Topology& topology, const std::string& name) {
    const int host = topology.add_host(name);
    const auto domains = add_sockets(sockets, topology, host);
    return BuiltHost{add_nics({Attachment{}}, topology, host, domains, {})};
  };
}

// Several sockets, all linked to each other; each NIC hangs off one of them.

MakeHost read_numa(Fields& fields) {
  const Sockets sockets = read_sockets(fields);
  const auto nics = read_nics(fields, sockets.count, 0);
  return [sockets, nics](Topology& topology, const std::string& name) {
    const int host = topology.add_host(name);
    const auto domains = add_sockets(sockets, topology, host);
    return BuiltHost{add_nics(nics, topology, host, domains, {})};
  };
}

}  // namespace

std::span<const HostType> host_types() {
  static const HostType list[] = {
      {"simple", "one NUMA domain, one NIC", read_simple},
      {"numa", "linked sockets, NICs on some of them", read_numa},
      {"pcie_tree", "sockets, PCIe switches, GPUs and NICs", read_pcie_tree},
      {"custom", "components and links, spelled out", read_custom}};
  return list;
}

}  // namespace ringscope
