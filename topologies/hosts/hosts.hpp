// What the host types share.
#pragma once

#include <vector>

#include "topologies/cluster.hpp"

namespace ringscope {

using MakeHost = std::function<BuiltHost(Topology&, const std::string& host_name)>;

/// Sockets of cores and memory, each linked to every other. A socket is one NUMA domain.
struct Sockets {
  int count = 1;
  int cores = 1;                              ///< of each
  Bandwidth memory = Bandwidth::unlimited();  ///< of each
  Bandwidth link_bandwidth = Bandwidth::unlimited();
  Seconds link_latency{};
};

/// `cores` and `memory_bandwidth`, each of one NUMA domain.
Sockets read_one_socket(Fields& fields);
/// The same with `sockets` and `socket_link: {bandwidth, latency}`.
Sockets read_sockets(Fields& fields);
/// The NUMA domains of a new host, in the order of their indices.
std::vector<Vertex> add_sockets(const Sockets& sockets, Topology& topology, int host);

/// Where a device hangs: the index of a NUMA domain or of a PCIe switch, and by what.
struct Attachment {
  bool to_switch = false;
  int index = 0;
  Bandwidth bandwidth = Bandwidth::unlimited();
  Seconds latency{};
};

/// `nic: {domain: D, bandwidth, latency}` or `nics: [...]`; with switches also `switch: S` in the
/// place of `domain`. Without either key: one NIC on domain 0, attached without limit.
std::vector<Attachment> read_nics(Fields& fields, int domains, int switches);
/// Adds the NICs of a host.
std::vector<Vertex> add_nics(const std::vector<Attachment>& nics, Topology& topology, int host,
                             const std::vector<Vertex>& domains,
                             const std::vector<Vertex>& switches);

}  // namespace ringscope
