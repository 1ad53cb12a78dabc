// SPDX-License-Identifier: LGPL-2.1-or-later
// Several sockets, all linked to each other; each NIC hangs off one of them.
#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

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

HostType describe_numa() { return {"numa", "linked sockets, NICs on some of them", read_numa}; }

}  // namespace ringscope
