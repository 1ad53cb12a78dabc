// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/equal_hosts.hpp"

#include <fmt/format.h>

namespace ringscope::sim {
namespace {

/// All that a location is in its host.
auto slot_of(const Location& where) {
  const auto& [host, numa, core, binding, gpu, memory, nics, nic] = where;
  return std::tuple(numa, core, binding, gpu, memory, nics, nic);
}

/// All that a component is in its host: its properties, its socket, its name without the host's.
auto nature_of(const Component& one, std::string_view host) {
  const auto own = [&](std::string_view name, int, int socket, const auto&... properties) {
    if (name.starts_with(host)) name.remove_prefix(host.size());
    return std::tuple(name, socket, properties...);
  };
  return Component::visit(one, own);
}

/// All that a host is, beside its parts, which are compared one by one.
auto nature_of(const Host& host) {
  const auto own = [](const auto&, const auto& parts, const auto&... rules) {
    const auto sizes = [](const auto&... lists) { return std::array{lists.size()...}; };
    return std::tuple(std::apply(sizes, parts), rules...);
  };
  return Host::visit(host, own);
}

/// A link by the places of its ends among the components of its host; a switch by its number, -1,
/// -2, ..., or where that may differ by -1.
struct Cable {
  int from = 0, to = 0;
  decltype(properties_of(Link())) properties;
  bool operator==(const Cable&) const = default;
};

/// Components and links of each host, in the order in which all hosts' parts were made.
struct Parts {
  Table<std::vector<Vertex>> components;  ///< by host
  Table<std::vector<Cable>> cables;
  int switches = 0;
  std::string not_apart;  ///< why one host's link is another's, too; "" for none
};

Parts parts_of(const Topology& topology, bool same_switches) {
  const Graph& graph = topology.graph();
  const std::size_t hosts = topology.hosts().size();
  Parts parts{
      std::vector<std::vector<Vertex>>(hosts), std::vector<std::vector<Cable>>(hosts), 0, {}};
  std::vector<int> place;
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph[v].host < 0) {
      ++parts.switches;
      place.push_back(same_switches ? -parts.switches : -1);
      continue;
    }
    auto& own = parts.components[graph[v].host];
    place.push_back(static_cast<int>(own.size()));
    own.push_back(v);
  }
  for (int id = 0; id < topology.link_count(); ++id) {
    const Vertex from = topology.source_of(id), to = topology.target_of(id);
    const int host = std::max(graph[from].host, graph[to].host);
    if (host < 0) continue;
    const Link& link = topology.link(id);
    if (graph[from].host >= 0 && graph[to].host >= 0 && graph[from].host != graph[to].host) {
      parts.not_apart = fmt::format("'{}' is no link between a host and a switch", link.name);
      break;
    }
    parts.cables[host].push_back({place[from], place[to], properties_of(link)});
  }
  return parts;
}

bool same_components(const Topology& topology, const Parts& parts, int a, int b) {
  const auto& ours = parts.components[a];
  const auto& theirs = parts.components[b];
  return std::ranges::equal(ours, theirs, [&](Vertex one, Vertex other) {
    return nature_of(topology.graph()[one], topology.hosts()[a].name) ==
           nature_of(topology.graph()[other], topology.hosts()[b].name);
  });
}

/// Part of the way of a message, or of an access to memory: one route, or all rails.
struct Leg {
  Vertex from{}, to{};
  bool rails = false;
};

void visit_legs(const Scenario& scenario, const BufferLocations& buffer_locations, Pair ranks,
                auto visit) {
  const Graph& graph = scenario.cluster.topology.graph();
  const auto [from, to] = ranks;
  const Location& where = scenario.placement.ranks[from];
  const std::vector<Vertex> nics =
      named_nics(scenario.cluster.topology, where, scenario.placement.ranks[to]);
  const Vertex core = buffer_locations.domain_of(from), other_core = buffer_locations.domain_of(to);
  if (graph[core].host == graph[other_core].host) visit(Leg{core, other_core});
  for (const Vertex source : buffer_locations.of(from)) {
    if (from == to) {
      visit(Leg{source, core});
      visit(Leg{core, source});
      continue;
    }
    for (const Vertex target : buffer_locations.of(to)) {
      const std::vector<Vertex> stops = buffer_locations.stops(source, target);
      for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
        const Vertex here = stops[i], next = stops[i + 1];
        const bool leaves = graph[here].host != graph[next].host;
        if (!leaves || nics.empty()) {
          visit(Leg{here, next, leaves && where.nics == NicChoice::all});
          continue;
        }
        visit(Leg{here, nics[0]});
        visit(Leg{nics[0], nics[1]});
        visit(Leg{nics[1], next});
      }
    }
  }
}

}  // namespace

std::vector<Route> routes_of(const Scenario& scenario, const BufferLocations& buffer_locations,
                             Pair ranks, std::uint64_t flow) {
  std::vector<Route> routes;
  visit_legs(scenario, buffer_locations, ranks, [&](const Leg& leg) {
    if (!leg.rails) return routes.push_back(buffer_locations.route(leg.from, leg.to, flow));
    for (Route& rail : scenario.cluster.topology.rails(leg.from, leg.to, flow))
      routes.push_back(std::move(rail));
  });
  return routes;
}

int ranks_per_host(const Placement& placement) {
  const auto& ranks = placement.ranks;
  const auto other = std::ranges::find_if(
      ranks, [&](const Location& where) { return where.host != ranks.front().host; });
  return static_cast<int>(other - ranks.begin());
}

std::string unequal_places(const Placement& placement, int n) {
  const auto& ranks = placement.ranks;
  if (n == std::ssize(ranks)) return "all ranks are on one host";
  if (std::ssize(ranks) % n != 0) return "the hosts have different numbers of ranks";
  using Moved = std::pair<int, int>;  // how often, and the host from which
  std::map<int, Moved> from;
  std::map<Moved, int> to;
  for (int rank = 0; rank < std::ssize(ranks); ++rank) {
    const Location &here = ranks[rank], &first = ranks[rank % n];
    const Moved moved = {rank / n, first.host};
    if (to.try_emplace(moved, here.host).first->second != here.host)
      return "the hosts have different numbers of ranks";
    if (from.try_emplace(here.host, moved).first->second != moved)
      return "the ranks of a host do not come together";
    if (slot_of(here) != slot_of(first))
      return fmt::format("rank {} is elsewhere on its host than rank {}", rank, rank % n);
  }
  return "";
}

std::string unequal_hosts(const Topology& topology, const Placement& placement, int n, bool cells) {
  const Parts parts = parts_of(topology, !cells);
  if (!parts.not_apart.empty()) return parts.not_apart;
  const auto hosts = topology.hosts();
  const auto& ranks = placement.ranks;
  for (int rank = n; rank < std::ssize(ranks); ++rank) {
    const int host = ranks[rank].host, first = ranks[rank % n].host;
    if (host == ranks[rank - 1].host) continue;
    if (nature_of(hosts[host]) != nature_of(hosts[first]) ||
        !same_components(topology, parts, host, first))
      return fmt::format("host '{}' is not made as '{}'", hosts[host].name, hosts[first].name);
    if (parts.cables[host] != parts.cables[first])
      return fmt::format("the links of host '{}' differ from the links of '{}'{}", hosts[host].name,
                         hosts[first].name,
                         parts.switches > 1 ? ": the network is more than one switch" : "");
  }
  return "";
}

// A choice among equal routes depends on a hash of the flow and of the ends.
std::string uncertain_routes(const Scenario& scenario, std::span<const Pair> pairs) {
  const Topology& topology = scenario.cluster.topology;
  const Graph& graph = topology.graph();
  const BufferLocations buffer_locations(scenario);
  for (const Pair& pair : pairs) {
    for (const Route& route : routes_of(scenario, buffer_locations, pair, 0))
      for (const int id : route.links)
        if (graph[topology.source_of(id)].host < 0 && graph[topology.target_of(id)].host < 0)
          return fmt::format("messages go from switch to switch, by '{}'", topology.link(id).name);
    bool only = true;
    visit_legs(scenario, buffer_locations, pair, [&](const Leg& leg) {
      only = only && (leg.rails ? topology.has_only_rails(leg.from, leg.to)
                                : buffer_locations.has_only_route(leg.from, leg.to));
    });
    if (!only)
      return fmt::format("several routes from '{}' to '{}' are as short",
                         graph[buffer_locations.of(pair.first).front()].name,
                         graph[buffer_locations.of(pair.second).front()].name);
  }
  return "";
}

}  // namespace ringscope::sim
