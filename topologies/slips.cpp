// SPDX-License-Identifier: LGPL-2.1-or-later
// Values of links and memories that are most likely a slip, of the unit or by a missing key.
#include <fmt/format.h>

#include "topologies/cluster_warnings.hpp"

namespace ringscope {
namespace {

/// A cable of 100 km or more.
std::vector<std::string> long_cables(const Topology& topology) {
  constexpr double longest_s = 5e-4, km_per_s = 2e5;  // of light in a fibre
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    if (link.latency.count() < longest_s) continue;
    return {fmt::format("the latency of {}, {}, equals {:.0f} km of fibre: did you mean {}?",
                        link.name, to_short_text(link.latency), km_per_s * link.latency.count(),
                        to_short_text(link.latency / 1000))};
  }
  return {};
}

/// Memory of a socket that carries less than half of a network link of its host.
std::vector<std::string> narrow_memories(const Topology& topology) {
  const Graph& graph = topology.graph();
  for (const Host& host : topology.hosts())
    for (const Vertex nic : host.nics)
      for (const Edge& edge : graph.edges(nic)) {
        const Link& cable = graph.link(edge.link);
        if (!topology.is_cable(edge.link) || cable.bandwidth.is_unlimited()) continue;
        for (const Vertex domain : host.numa_domains)
          if (2 * graph[domain].memory.bytes_per_second < cable.bandwidth.bytes_per_second)
            return {
                fmt::format("the memory of {} carries {}, less than the network link {}, {}: is "
                            "'memory_bandwidth' in bits? A socket's is some 100 GB/s",
                            graph[domain].name, to_short_text(graph[domain].memory), cable.name,
                            to_short_text(cable.bandwidth))};
      }
  return {};
}

/// Sockets whose link takes no time, though their memory has a bandwidth.
std::vector<std::string> free_sockets(const Topology& topology) {
  const Graph& graph = topology.graph();
  for (const Host& host : topology.hosts()) {
    if (!host.gpus.empty()) continue;  // described for its GPUs
    for (const Vertex domain : host.numa_domains) {
      if (graph[domain].memory.is_unlimited()) continue;  // nothing in the host takes time
      for (const Edge& edge : graph.edges(domain)) {
        const Link& link = graph.link(edge.link);
        const Component& other = graph[edge.to];
        const bool sockets = other.kind == ComponentKind::numa_domain &&
                             (other.socket < 0 || other.socket != graph[domain].socket);
        if (sockets && link.bandwidth.is_unlimited() && link.latency.count() == 0)
          return {fmt::format(
              "the link {} is unlimited and takes no time, so that the wrong socket costs nothing: "
              "say what it carries, such as 'socket_link: {{bandwidth: 20 GB/s, latency: 100 ns}}'",
              link.name)};
      }
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> slips(const Topology& topology) {
  std::vector<std::string> found = long_cables(topology);
  for (const auto& more : {narrow_memories(topology), free_sockets(topology)})
    found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace ringscope
