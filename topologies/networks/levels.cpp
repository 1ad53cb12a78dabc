#include "topologies/networks/levels.hpp"

#include <algorithm>

namespace ringscope {
namespace {

/// Bandwidth of one switch from below, and to above.
struct Throughput {
  double below = 0, above = 0;
};

void count(const Topology& topology, Vertex here, const std::vector<int>& levels,
           NetworkLevel& level, Throughput& sum) {
  const Graph& graph = topology.graph();
  Throughput own;
  for (const auto& edge : boost::make_iterator_range(out_edges(here, graph))) {
    const Vertex other = target(edge, graph);
    const Link& up = graph[edge];
    const double from_below = topology.link(up.id ^ 1).bandwidth.bytes_per_second;
    if (graph[other].kind != ComponentKind::network_switch) {
      ++level.hosts;
      own.below += from_below;
    } else if (levels[other] == levels[here]) {
      ++level.beside;
    } else if (levels[other] > levels[here]) {
      ++level.up;
      own.above += up.bandwidth.bytes_per_second;
    } else {
      ++level.down;
      own.below += from_below;
    }
  }
  sum.below += own.below;
  sum.above += own.above;
  if (own.below == 0 || own.above == 0) return;
  const double ratio = own.below / own.above;
  level.least = level.least == 0 ? ratio : std::min(level.least, ratio);
  level.most = std::max(level.most, ratio);
}

}  // namespace

std::vector<int> levels_of_switches(const Topology& topology) {
  const Graph& graph = topology.graph();
  std::vector<int> levels(num_vertices(graph), -1);
  std::vector<Vertex> open;
  for (const Host& host : topology.hosts())
    for (const Vertex nic : host.nics) open.push_back(nic);
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const auto& edge : boost::make_iterator_range(out_edges(open[i], graph))) {
      const Vertex next = target(edge, graph);
      if (graph[next].kind != ComponentKind::network_switch || levels[next] >= 0) continue;
      levels[next] = levels[open[i]] + 1;
      open.push_back(next);
    }
  return levels;
}

std::vector<NetworkLevel> network_levels(const Topology& topology) {
  const std::vector<int> levels = levels_of_switches(topology);
  std::vector<NetworkLevel> result;
  std::vector<Throughput> sums;
  for (Vertex v = 0; v < levels.size(); ++v) {
    if (levels[v] < 0) continue;
    const auto index = static_cast<std::size_t>(levels[v]);
    if (result.size() <= index) {
      result.resize(index + 1);
      sums.resize(index + 1);
    }
    ++result[index].switches;
    count(topology, v, levels, result[index], sums[index]);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].beside /= 2;
    if (sums[i].above > 0) result[i].oversubscription = sums[i].below / sums[i].above;
  }
  return result;
}

}  // namespace ringscope
