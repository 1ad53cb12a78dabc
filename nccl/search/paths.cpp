// SPDX-License-Identifier: LGPL-2.1-or-later
// The paths between the parts of a host that NCCL considers, one for each two.
//
// Source of the rules: NCCL 2.31, src/graph/paths.cc.
#include <algorithm>

#include "nccl/search/host_graph.hpp"

namespace ringscope::nccl {
namespace {

NodeKind part(const HostGraph& graph, int node) { return graph.nodes[node]; }

Distance distance_over(const HostGraph& graph, const GraphLink& link) {
  if (link.type == LinkType::nvlink) return Distance::nvlink;
  if (link.type == LinkType::sockets) return Distance::sockets;
  if (link.type == LinkType::network) return Distance::same;
  const NodeKind from = part(graph, link.from), to = part(graph, link.to);
  if (from == NodeKind::domain || to == NodeKind::domain) return Distance::root;
  if (from == NodeKind::pcie_switch && to == NodeKind::pcie_switch) return Distance::switches;
  return Distance::one_switch;
}

/// From `node`, whose path to the end is known, one link further away; Distance::none where NCCL
/// does not go on: a GPU passes nothing on but from NVLink to NVLink, and only from its neighbour.
Distance distance_through(const HostGraph& graph, int end, const LinkPath& path,
                          const GraphLink& link) {
  const bool through_gpu = link.from != end && part(graph, link.from) == NodeKind::gpu;
  if (through_gpu && (link.type != LinkType::nvlink || part(graph, link.to) != NodeKind::gpu ||
                      path.links.size() > 1))
    return Distance::none;
  const bool relayed = through_gpu && path.distance == Distance::nvlink;
  return std::max(path.distance, relayed ? Distance::nvlink_relay : distance_over(graph, link));
}

bool better(Distance distance, Rate rate, std::size_t links, const LinkPath& than) {
  if (distance != than.distance) return distance < than.distance;
  if (rate != than.rate) return rate > than.rate;
  return links < than.links.size();
}

/// The path of each node to `end`: the nearest, of these the fastest, of these the shortest. Nodes
/// are met in rings around the end, so a path by fewer links that is good enough stays.
Table<LinkPath> paths_to(const HostGraph& graph, int end) {
  Table<LinkPath> paths(graph.nodes.size());
  paths[end] = {{}, unlimited_rate, Distance::same};
  std::vector<int> frontier = {end};
  while (!frontier.empty()) {
    std::vector<int> next;
    for (const int node : frontier)
      for (const int id : graph.leaving[node]) {
        const GraphLink& link = graph.links[id];
        const LinkPath& path = paths[node];
        LinkPath& found = paths[link.to];
        const Distance distance = distance_through(graph, end, path, link);
        const Rate rate = std::min(path.rate, link.rate);
        if (distance == Distance::none || !better(distance, rate, path.links.size() + 1, found))
          continue;
        LinkPath longer{{link.back}, rate, distance};
        longer.links.insert(longer.links.end(), path.links.begin(), path.links.end());
        found = std::move(longer);
        if (std::ranges::count(next, link.to) == 0) next.push_back(link.to);
      }
    frontier = std::move(next);
  }
  return paths;
}

LinkPath joined(const LinkPath& first, const LinkPath& second) {
  LinkPath path = first;
  path.links.insert(path.links.end(), second.links.begin(), second.links.end());
  path.rate = std::min(first.rate, second.rate);
  path.distance = std::max(first.distance, second.distance);
  return path;
}

/// The paths to every domain of the host, and those from each.
class Domains {
 public:
  explicit Domains(const HostGraph& graph) {
    for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node)
      if (part(graph, node) == NodeKind::domain) {
        ends_.push_back(node);
        to_.push_back(paths_to(graph, node));
      }
  }

  /// The domain nearest to a node.
  int near(int node) const {
    Table<LinkPath> paths = each_of(to_, [&](const Table<LinkPath>& to) { return to[node]; });
    int best = 0;
    for (const int i : nearest(paths))
      if (paths[best].distance == Distance::none || paths[i].rate > paths[best].rate ||
          paths[i].distance < paths[best].distance ||
          paths[i].links.size() < paths[best].links.size())
        best = i;
    return best;
  }

  int node(int domain) const { return ends_[domain]; }
  const LinkPath& to(int domain, int node) const { return to_[domain][node]; }

 private:
  Table<int> ends_;
  LinkPaths to_;
};

/// Pairs of GPUs beyond PCIe switches, or without peer access, meet in the memory of a domain.
void divert_pairs(HostGraph& graph, const Domains& domains, const LinkPaths& to_gpu_nodes) {
  for (int to = 0; to < std::ssize(graph.gpus); ++to)
    for (int from = 0; from < std::ssize(graph.gpus); ++from) {
      LinkPath& path = graph.to_gpu[from][to];
      const bool nvlinks = path.distance <= Distance::nvlink_relay;
      if (from == to || nvlinks || (path.distance <= Distance::switches && graph.peers[from][to]))
        continue;
      const int domain = domains.near(graph.gpus[to]);
      path = joined(domains.to(domain, graph.gpus[from]), to_gpu_nodes[to][domains.node(domain)]);
    }
}

/// GPUDirect reads want NVLinks to other GPUs before the A100, so that PCIe is not wanted for both.
bool reads_directly(const HostGraph& graph, int gpu, int port) {
  if (!graph.gpudirect || graph.to_port[gpu][port].distance > Distance::switches) return false;
  if (graph.generation >= 80 || graph.gpus.size() == 1) return true;
  for (int other = 0; other < std::ssize(graph.gpus); ++other)
    if (other != gpu && graph.to_gpu[gpu][other].distance == Distance::nvlink) return true;
  return false;
}

/// A GPU far from a port sends by the GPU near it where NVLink leads there (PXN); what comes in
/// goes straight. Without GPUDirect all goes through the memory of a domain.
void divert_ports(HostGraph& graph, const Domains& domains, const LinkPaths& to_port_nodes,
                  const LinkPaths& to_gpu_nodes) {
  for (int port = 0; port < std::ssize(graph.ports); ++port)
    for (int gpu = 0; gpu < std::ssize(graph.gpus); ++gpu) {
      LinkPath& path = graph.to_port[gpu][port];
      const int by = gpu_of(graph, port);
      if (by >= 0 && by != gpu) {
        const LinkPath& last = graph.to_port[by][port];
        if (last.distance <= Distance::switches && reads_directly(graph, by, port) &&
            graph.to_gpu[by][gpu].distance <= Distance::nvlink &&
            (last.rate > path.rate || path.distance > Distance::gpu_relay)) {
          path = joined(graph.to_gpu[gpu][by], last);
          path.distance = Distance::gpu_relay;
        }
      }
      if (path.distance >= Distance::root || graph.gpudirect) continue;
      const int domain = domains.near(graph.gpus[gpu]);
      const int here = domains.node(domain);
      path = joined(domains.to(domain, graph.gpus[gpu]), to_port_nodes[port][here]);
      graph.from_port[port][gpu] =
          joined(domains.to(domain, graph.ports[port]), to_gpu_nodes[gpu][here]);
    }
}

Table<LinkPath> picked(const std::vector<int>& nodes, const Table<LinkPath>& paths) {
  return each_of(nodes, [&](int node) { return paths[node]; });
}

}  // namespace

void find_paths(HostGraph& graph) {
  LinkPaths to_gpu_nodes, to_port_nodes;
  for (const int gpu : graph.gpus) to_gpu_nodes.push_back(paths_to(graph, gpu));
  for (const int port : graph.ports) to_port_nodes.push_back(paths_to(graph, port));
  const auto from_each = [](const std::vector<int>& starts, const LinkPaths& to) {
    LinkPaths paths;
    for (const int start : starts) {
      Table<LinkPath>& row = paths.emplace_back();
      for (const Table<LinkPath>& end : to) row.push_back(end[start]);
    }
    return paths;
  };
  graph.to_gpu = from_each(graph.gpus, to_gpu_nodes);
  graph.to_port = from_each(graph.gpus, to_port_nodes);
  graph.from_port = from_each(graph.ports, to_gpu_nodes);
  if (graph.nvswitch >= 0) {
    graph.to_nvswitch = picked(graph.gpus, paths_to(graph, graph.nvswitch));
    for (const Table<LinkPath>& to : to_gpu_nodes)
      graph.from_nvswitch.push_back(to[graph.nvswitch]);
  }
  const Domains domains(graph);
  divert_pairs(graph, domains, to_gpu_nodes);
  divert_ports(graph, domains, to_port_nodes, to_gpu_nodes);
  for (int port = 0; port < std::ssize(graph.ports); ++port)
    graph.own_gpus.push_back(gpu_of(graph, port));
}

}  // namespace ringscope::nccl
