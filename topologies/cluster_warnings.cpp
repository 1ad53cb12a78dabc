// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/cluster_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/graph/warnings.hpp"

namespace ringscope {
namespace {

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->kind() == Value::Kind::scalar && value->scalar() == text;
}

/// True where no two routes between hosts are equally short.
bool has_single_routes(const Cluster& cluster) {
  const Value* family = cluster.resolved.find("network");
  const bool tree = is_text(family, "star") || (is_text(family, "two_level") &&
                                                is_text(cluster.resolved.find("uplinks"), "1"));
  return tree && std::ranges::all_of(cluster.topology.hosts(),
                                     [](const Host& host) { return host.nics.size() < 2; });
}

/// Keys of a choice among routes, where there is one route.
std::vector<std::string> vain_choices(const Cluster& cluster) {
  std::vector<std::string> vain;
  for (const char* key : {"hash_seed", "routing"})
    if (cluster.resolved.find(key) != nullptr && has_single_routes(cluster))
      vain.push_back(fmt::format(
          "'{}' changes nothing: one route leads from each host to each other one", key));
  return vain;
}

std::vector<std::string> whole_shares(const Cluster& cluster) {
  const Value* degraded = cluster.resolved.find("degraded");
  if (degraded == nullptr) return {};
  for (const Value& one : degraded->items()) {
    const Value *link = one.find("link"), *share = one.find("share");
    if (link != nullptr && share != nullptr && share->number(0, 1) == 1)
      return {fmt::format(
          "'share: 1' leaves {} all of its bandwidth: 0 is a dead link, 0.5 one at half its rate",
          link->text())};
  }
  return {};
}

// Values of links and memories that are most likely a slip, of the unit or by a missing key.

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
              "state its bandwidth, such as 'socket_link: {{bandwidth: 20 GB/s, latency: 100 ns}}'",
              link.name)};
      }
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> slips(const Cluster& cluster) {
  return together({slips(cluster.topology), vain_choices(cluster), whole_shares(cluster)});
}

std::vector<std::string> warnings(const Cluster& cluster) {
  return together({warnings(cluster.topology), slips(cluster)});
}

std::vector<std::string> slips(const Topology& topology) {
  return together({long_cables(topology), narrow_memories(topology), free_sockets(topology)});
}

}  // namespace ringscope
