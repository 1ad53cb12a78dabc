// SPDX-License-Identifier: LGPL-2.1-or-later
// One NUMA domain with its cores, and one NIC attached without limit.
#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

MakeHost read_simple(Fields& fields) {
  return [sockets = read_one_socket(fields)](Topology& topology, const std::string& name) {
    const int host = topology.add_host(name);
    const auto domains = add_sockets(sockets, topology, host);
    return BuiltHost{add_nics({Attachment{}}, topology, host, domains, {})};
  };
}

}  // namespace

HostType describe_simple() { return {"simple", "one NUMA domain, one NIC", read_simple}; }

}  // namespace ringscope
