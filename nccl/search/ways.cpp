// SPDX-License-Identifier: LGPL-2.1-or-later
// The ways between the parts of a host that NCCL considers, one for each two.
//
// Source of the rules: NCCL 2.31, src/graph/paths.cc.
#include <algorithm>

#include "nccl/search/host_graph.hpp"

namespace ringscope::nccl {
namespace {

Part part(const HostGraph& graph, int node) { return graph.nodes[node]; }

Distance distance_over(const HostGraph& graph, const Line& line) {
  if (line.wire == Wire::nvlink) return Distance::nvlink;
  if (line.wire == Wire::sockets) return Distance::sockets;
  if (line.wire == Wire::network) return Distance::same;
  const Part from = part(graph, line.from), to = part(graph, line.to);
  if (from == Part::domain || to == Part::domain) return Distance::root;
  if (from == Part::pcie_switch && to == Part::pcie_switch) return Distance::switches;
  return Distance::one_switch;
}

/// From `node`, whose way to the end is known, one line further away; Distance::none where NCCL
/// does not go on: a GPU passes nothing on but from NVLink to NVLink, and only from its neighbour.
Distance distance_through(const HostGraph& graph, int end, const Way& way, const Line& line) {
  const bool through_gpu = line.from != end && part(graph, line.from) == Part::gpu;
  if (through_gpu &&
      (line.wire != Wire::nvlink || part(graph, line.to) != Part::gpu || way.lines.size() > 1))
    return Distance::none;
  const bool relayed = through_gpu && way.distance == Distance::nvlink;
  return std::max(way.distance, relayed ? Distance::nvlink_relay : distance_over(graph, line));
}

bool better(Distance distance, Rate rate, std::size_t lines, const Way& than) {
  if (distance != than.distance) return distance < than.distance;
  if (rate != than.rate) return rate > than.rate;
  return lines < than.lines.size();
}

/// The way of each node to `end`: the nearest, of these the fastest, of these the shortest. Nodes
/// are met in rings around the end, so a way by fewer lines that is good enough stays.
Table<Way> ways_to(const HostGraph& graph, int end) {
  Table<Way> ways(graph.nodes.size());
  ways[end] = {{}, unlimited_rate, Distance::same};
  std::vector<int> frontier = {end};
  while (!frontier.empty()) {
    std::vector<int> next;
    for (const int node : frontier)
      for (const int id : graph.leaving[node]) {
        const Line& line = graph.lines[id];
        const Way& way = ways[node];
        Way& found = ways[line.to];
        const Distance distance = distance_through(graph, end, way, line);
        const Rate rate = std::min(way.rate, line.rate);
        if (distance == Distance::none || !better(distance, rate, way.lines.size() + 1, found))
          continue;
        Way longer{{line.back}, rate, distance};
        longer.lines.insert(longer.lines.end(), way.lines.begin(), way.lines.end());
        found = std::move(longer);
        if (std::ranges::count(next, line.to) == 0) next.push_back(line.to);
      }
    frontier = std::move(next);
  }
  return ways;
}

Way joined(const Way& first, const Way& second) {
  Way way = first;
  way.lines.insert(way.lines.end(), second.lines.begin(), second.lines.end());
  way.rate = std::min(first.rate, second.rate);
  way.distance = std::max(first.distance, second.distance);
  return way;
}

/// The ways to every domain of the host, and those from each.
class Domains {
 public:
  explicit Domains(const HostGraph& graph) {
    for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node)
      if (part(graph, node) == Part::domain) {
        ends_.push_back(node);
        to_.push_back(ways_to(graph, node));
      }
  }

  /// The domain nearest to a node.
  int near(int node) const {
    Table<Way> ways;
    for (const Table<Way>& to : to_) ways.push_back(to[node]);
    int best = 0;
    for (const int i : nearest(ways))
      if (ways[best].distance == Distance::none || ways[i].rate > ways[best].rate ||
          ways[i].distance < ways[best].distance || ways[i].lines.size() < ways[best].lines.size())
        best = i;
    return best;
  }

  int node(int domain) const { return ends_[domain]; }
  const Way& to(int domain, int node) const { return to_[domain][node]; }

 private:
  Table<int> ends_;
  Ways to_;
};

/// Pairs of GPUs beyond PCIe switches, or without peer access, meet in the memory of a domain.
void divert_pairs(HostGraph& graph, const Domains& domains, const Ways& to_gpu_nodes) {
  for (int to = 0; to < std::ssize(graph.gpus); ++to)
    for (int from = 0; from < std::ssize(graph.gpus); ++from) {
      Way& way = graph.to_gpu[from][to];
      const bool nvlinks = way.distance <= Distance::nvlink_relay;
      if (from == to || nvlinks || (way.distance <= Distance::switches && graph.peers[from][to]))
        continue;
      const int domain = domains.near(graph.gpus[to]);
      way = joined(domains.to(domain, graph.gpus[from]), to_gpu_nodes[to][domains.node(domain)]);
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
void divert_ports(HostGraph& graph, const Domains& domains, const Ways& to_port_nodes,
                  const Ways& to_gpu_nodes) {
  for (int port = 0; port < std::ssize(graph.ports); ++port)
    for (int gpu = 0; gpu < std::ssize(graph.gpus); ++gpu) {
      Way& way = graph.to_port[gpu][port];
      const int by = gpu_of(graph, port);
      if (by >= 0 && by != gpu) {
        const Way& last = graph.to_port[by][port];
        if (last.distance <= Distance::switches && reads_directly(graph, by, port) &&
            graph.to_gpu[by][gpu].distance <= Distance::nvlink &&
            (last.rate > way.rate || way.distance > Distance::gpu_relay)) {
          way = joined(graph.to_gpu[gpu][by], last);
          way.distance = Distance::gpu_relay;
        }
      }
      if (way.distance >= Distance::root || graph.gpudirect) continue;
      const int domain = domains.near(graph.gpus[gpu]);
      const int here = domains.node(domain);
      way = joined(domains.to(domain, graph.gpus[gpu]), to_port_nodes[port][here]);
      graph.from_port[port][gpu] =
          joined(domains.to(domain, graph.ports[port]), to_gpu_nodes[gpu][here]);
    }
}

Table<Way> picked(const std::vector<int>& nodes, const Table<Way>& ways) {
  Table<Way> found;
  for (const int node : nodes) found.push_back(ways[node]);
  return found;
}

}  // namespace

void find_ways(HostGraph& graph) {
  Ways to_gpu_nodes, to_port_nodes;
  for (const int gpu : graph.gpus) to_gpu_nodes.push_back(ways_to(graph, gpu));
  for (const int port : graph.ports) to_port_nodes.push_back(ways_to(graph, port));
  const auto from_each = [](const std::vector<int>& starts, const Ways& to) {
    Ways ways;
    for (const int start : starts) {
      Table<Way>& row = ways.emplace_back();
      for (const Table<Way>& end : to) row.push_back(end[start]);
    }
    return ways;
  };
  graph.to_gpu = from_each(graph.gpus, to_gpu_nodes);
  graph.to_port = from_each(graph.gpus, to_port_nodes);
  graph.from_port = from_each(graph.ports, to_gpu_nodes);
  if (graph.nvswitch >= 0) {
    graph.to_nvswitch = picked(graph.gpus, ways_to(graph, graph.nvswitch));
    for (const Table<Way>& to : to_gpu_nodes) graph.from_nvswitch.push_back(to[graph.nvswitch]);
  }
  const Domains domains(graph);
  divert_pairs(graph, domains, to_gpu_nodes);
  divert_ports(graph, domains, to_port_nodes, to_gpu_nodes);
  for (int port = 0; port < std::ssize(graph.ports); ++port)
    graph.own_gpus.push_back(gpu_of(graph, port));
}

}  // namespace ringscope::nccl
