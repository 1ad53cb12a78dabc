// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/networks/levels.hpp"

#include <algorithm>

#include "topologies/graph/route_cache.hpp"

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
  for (const auto [other, id] : graph.edges(here)) {
    const Link& up = graph.link(id);
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

/// Flows on each cable between switches.
class Loads {
 public:
  explicit Loads(const Topology& topology)
      : topology_(topology),
        known_(topology.graph(), topology.hosts()),
        flows_(topology.link_count()) {}

  void add(std::size_t from, std::size_t to) {
    const auto hosts = topology_.hosts();
    if (from == to) return;
    const std::uint64_t flow = from * hosts.size() + to;
    const Route route = topology_.route(hosts[from].numa_domains.front(),
                                        hosts[to].numa_domains.front(), flow, &known_);
    bool passes = false;
    for (const int id : route.links) {
      if (!is_trunk(id)) continue;
      ++flows_[id];
      passes = true;
    }
    sum_.flows += passes ? 1 : 0;
  }

  RouteLoad sum() const {
    RouteLoad sum = sum_;
    double all = 0;
    int trunks = 0;
    for (int id = 0; id < topology_.link_count(); ++id) {
      if (!is_trunk(id)) continue;
      const int here = flows_[id];
      sum.most = std::max(sum.most, here);
      all += here;
      ++trunks;
    }
    if (trunks > 0) sum.mean = all / trunks;
    return sum;
  }

 private:
  bool is_trunk(int id) const {
    const auto is_switch = [&](Vertex v) {
      return topology_.graph()[v].kind == ComponentKind::network_switch;
    };
    return is_switch(topology_.source_of(id)) && is_switch(topology_.target_of(id));
  }

  const Topology& topology_;
  RouteCache known_;
  Table<int> flows_;  ///< by link
  RouteLoad sum_;
};

}  // namespace

std::vector<int> levels_of_switches(const Topology& topology) {
  const Graph& graph = topology.graph();
  std::vector<int> levels(graph.size(), -1);
  std::vector<Vertex> open;
  for (const Host& host : topology.hosts())
    for (const Vertex nic : host.nics) open.push_back(nic);
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const auto [next, id] : graph.edges(open[i])) {
      if (graph[next].kind != ComponentKind::network_switch || levels[next] >= 0) continue;
      levels[next] = levels[open[i]] + 1;
      open.push_back(next);
    }
  return levels;
}

RouteLoad load_of_shift(const Topology& topology) {
  Loads loads(topology);
  const std::size_t hosts = topology.hosts().size();
  for (std::size_t from = 0; from < hosts; ++from) loads.add(from, (from + hosts / 2) % hosts);
  return loads.sum();
}

RouteLoad load_of_pairs(const Topology& topology) {
  Loads loads(topology);
  for (std::size_t from = 0; from < topology.hosts().size(); ++from)
    for (std::size_t to = 0; to < topology.hosts().size(); ++to) loads.add(from, to);
  return loads.sum();
}

std::vector<NetworkLevel> network_levels(const Topology& topology) {
  const std::vector<int> levels = levels_of_switches(topology);
  Table<NetworkLevel> result;
  Table<Throughput> sums;
  for (Vertex v = 0; v < levels.size(); ++v) {
    if (levels[v] < 0) continue;
    NetworkLevel& level = result.grown(levels[v]);
    ++level.switches;
    count(topology, v, levels, level, sums.grown(levels[v]));
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].beside /= 2;
    if (sums[i].above > 0) result[i].oversubscription = sums[i].below / sums[i].above;
  }
  return result;
}

}  // namespace ringscope
