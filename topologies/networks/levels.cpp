// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/networks/levels.hpp"

#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>
#include <map>
#include <numeric>

#include "topologies/graph/route_search.hpp"

namespace ringscope {
namespace {

int room_of(const std::vector<int>& hosts, View<const int> room) {
  return std::accumulate(hosts.begin(), hosts.end(), 0,
                         [&](int sum, int host) { return sum + room[host]; });
}

/// Hosts below one level, chosen part by part.
class Choice {
 public:
  Choice(const Table<Table<int>>& levels, View<const int> room, int ranks)
      : levels_(levels), room_(room), left_(ranks) {}

  /// Takes hosts out of `hosts`, which are joined below `level` + 1.
  void take(int level, const std::vector<int>& hosts) {
    if (level < 0) return take_hosts(hosts);
    std::map<int, std::vector<int>> parts;
    for (const int host : hosts) parts[levels_[level][host]].push_back(host);
    std::vector<std::vector<int>> by_room;
    for (auto& [number, part] : parts) by_room.push_back(std::move(part));
    std::ranges::stable_sort(by_room, [&](const auto& a, const auto& b) {
      return room_of(a, room_) > room_of(b, room_);
    });
    // The smallest that is enough for what is left; else the largest, and so on.
    while (left_ > 0 && !by_room.empty()) {
      const auto enough =
          std::ranges::find_if(by_room.rbegin(), by_room.rend(),
                               [&](const auto& p) { return room_of(p, room_) >= left_; });
      const auto next = enough == by_room.rend() ? by_room.begin() : std::prev(enough.base());
      const std::vector<int> part = std::move(*next);
      by_room.erase(next);
      take(level - 1, part);
    }
  }

  std::vector<int> chosen() && { return std::move(chosen_); }

 private:
  void take_hosts(const std::vector<int>& hosts) {
    for (const int host : hosts) {
      if (left_ <= 0) return;
      if (room_[host] == 0) continue;
      chosen_.push_back(host);
      left_ -= room_[host];
    }
  }

  const Table<Table<int>>& levels_;
  View<const int> room_;
  int left_;
  std::vector<int> chosen_;
};

/// Network switches that the host's NICs are plugged into, ascending. `wide`: by cables that are
/// much wider than another one of the host.
std::vector<Vertex> switches_of(const Topology& topology, const Host& host, bool wide = false) {
  constexpr double wider = 4;
  const Graph& graph = topology.graph();
  std::vector<Vertex> switches;
  Table<double> widths;
  for (const Vertex nic : host.nics)
    for (const auto [next, id] : graph.edges(nic))
      if (graph[next].kind == ComponentKind::network_switch) {
        switches.push_back(next);
        widths.push_back(topology.link(id).bandwidth.bytes_per_second);
      }
  for (std::size_t i = widths.size(); wide && i-- > 0;)
    if (widths[i] <= wider * std::ranges::min(widths))
      switches.erase(switches.begin() + static_cast<std::ptrdiff_t>(i));
  std::ranges::sort(switches);
  return switches;
}

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

Table<Table<int>> neighbourhoods(const Topology& topology) {
  const Graph& graph = topology.graph();
  const std::vector<int> levels = levels_of_switches(topology);
  const int top = std::ranges::max(levels);
  boost::disjoint_sets_with_storage<> sets(graph.size());
  for (Vertex v = 0; v < graph.size(); ++v) sets.make_set(v);
  const auto hosts = topology.hosts();
  const auto join = [&](Vertex a, Vertex b) { sets.union_set(a, b); };
  Table<Table<int>> result;
  const auto join_hosts = [&](bool wide) {
    bool joins = false;
    for (const Host& host : hosts)
      for (const Vertex leaf : switches_of(topology, host, wide)) {
        join(host.numa_domains.front(), leaf);
        joins = true;
      }
    return joins;
  };
  const auto add_level = [&] {
    std::map<Vertex, int> numbers;
    Table<int>& here = result.emplace_back();
    for (const Host& host : hosts)
      here.push_back(numbers
                         .try_emplace(sets.find_set(host.numa_domains.front()),
                                      static_cast<int>(numbers.size()))
                         .first->second);
  };
  if (join_hosts(true)) add_level();
  join_hosts(false);
  for (int level = 0; level <= top; ++level) {
    for (int id = 0; id < topology.link_count(); ++id) {
      const Vertex a = topology.source_of(id), b = topology.target_of(id);
      if (levels[a] >= 0 && levels[b] >= 0 && std::max(levels[a], levels[b]) == level) join(a, b);
    }
    add_level();
  }
  return result;
}

std::vector<int> near_hosts(const Table<Table<int>>& levels, View<const int> room, int ranks) {
  std::vector<int> all = numbers_below(room.size());
  Choice choice(levels, room, ranks);
  choice.take(static_cast<int>(levels.size()) - 1, all);
  return std::move(choice).chosen();
}

int crossings(const Topology& topology, std::span<const int> host_of_rank) {
  std::map<int, std::vector<Vertex>> switches;
  for (const int host : host_of_rank)
    if (!switches.contains(host))
      switches.emplace(host, switches_of(topology, topology.hosts()[host]));
  int count = 0;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    const int here = host_of_rank[rank], next = host_of_rank[(rank + 1) % host_of_rank.size()];
    std::vector<Vertex> common;
    std::ranges::set_intersection(switches.at(here), switches.at(next), std::back_inserter(common));
    if (here != next && common.empty()) ++count;
  }
  return count;
}

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
