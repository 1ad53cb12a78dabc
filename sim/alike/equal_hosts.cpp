#include "sim/alike/equal_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "topologies/graph/known_routes.hpp"

namespace ringscope::sim {
namespace {

auto slot_of(const Location& where) {
  return std::tuple(where.numa, where.core, where.binding, where.gpu, where.memory, where.nics);
}

/// All that a component is, wherever it stands; its name without that of its host.
auto nature_of(const Component& one, const std::string& host) {
  const bool named = one.name.starts_with(host);
  return std::tuple(one.kind, one.name.substr(named ? host.size() : 0), one.cores,
                    one.memory.bytes_per_second, one.capacity, one.socket, one.copy_engines,
                    one.sms, one.copy_bandwidth.bytes_per_second,
                    one.peer_bandwidth.bytes_per_second);
}

auto nature_of(const Host& host) {
  return std::tuple(host.peer_access, host.peer_matrix, host.iommu, host.gpudirect,
                    host.staging_latency, host.numa_domains.size(), host.gpus.size(),
                    host.nics.size());
}

/// A link by the places of its ends among the components of its host; -1: the switch.
struct Cable {
  int from = -1, to = -1;
  double bandwidth = 0, latency = 0, both = 0;
  bool operator==(const Cable&) const = default;
};

/// Components and links of each host, in the order in which all hosts' parts were made.
struct Parts {
  std::vector<std::vector<Vertex>> components;  ///< by host
  std::vector<std::vector<Cable>> cables;
  std::string not_a_star;  ///< why not; "" for a star
};

Parts parts_of(const Topology& topology) {
  const Graph& graph = topology.graph();
  const std::size_t hosts = topology.hosts().size();
  Parts parts{std::vector<std::vector<Vertex>>(hosts), std::vector<std::vector<Cable>>(hosts), {}};
  std::vector<int> place(num_vertices(graph), -1);
  int outside = 0;
  for (Vertex v = 0; v < num_vertices(graph); ++v) {
    if (graph[v].host < 0) {
      ++outside;
      continue;
    }
    auto& own = parts.components[static_cast<std::size_t>(graph[v].host)];
    place[v] = static_cast<int>(own.size());
    own.push_back(v);
  }
  if (outside != 1) {
    parts.not_a_star = "the network is more than one switch";
    return parts;
  }
  for (int id = 0; id < topology.link_count(); ++id) {
    const Vertex from = topology.source_of(id), to = topology.target_of(id);
    const int host = std::max(graph[from].host, graph[to].host);
    const bool apart =
        graph[from].host >= 0 && graph[to].host >= 0 && graph[from].host != graph[to].host;
    if (host < 0 || apart) {
      parts.not_a_star =
          fmt::format("'{}' is no cable between a host and the switch", topology.link(id).name);
      break;
    }
    const Link& link = topology.link(id);
    parts.cables[static_cast<std::size_t>(host)].push_back(
        {place[from], place[to], link.bandwidth.bytes_per_second, link.latency.count(),
         link.both.bytes_per_second});
  }
  return parts;
}

bool same_components(const Topology& topology, const Parts& parts, std::size_t a, std::size_t b) {
  const auto& ours = parts.components[a];
  const auto& theirs = parts.components[b];
  return std::ranges::equal(ours, theirs, [&](Vertex one, Vertex other) {
    return nature_of(topology.graph()[one], topology.hosts()[a].name) ==
           nature_of(topology.graph()[other], topology.hosts()[b].name);
  });
}

std::size_t host_at(const Placement& placement, std::size_t rank) {
  return static_cast<std::size_t>(placement.ranks[rank].host);
}

/// Components between which messages and accesses to memory go.
std::vector<Vertex> ends_of(const Host& host) {
  std::vector<Vertex> ends = host.numa_domains;
  ends.insert(ends.end(), host.gpus.begin(), host.gpus.end());
  return ends;
}

}  // namespace

int ranks_per_host(const Placement& placement) {
  const auto& ranks = placement.ranks;
  const auto other = std::ranges::find_if(
      ranks, [&](const Location& where) { return where.host != ranks.front().host; });
  return static_cast<int>(other - ranks.begin());
}

std::string unequal_places(const Placement& placement) {
  const auto& ranks = placement.ranks;
  const auto each = static_cast<std::size_t>(ranks_per_host(placement));
  if (each == ranks.size()) return "all ranks are on one host";
  if (ranks.size() % each != 0) return "the hosts have not as many ranks each";
  std::set<int> hosts;
  for (std::size_t first = 0; first < ranks.size(); first += each) {
    if (!hosts.insert(ranks[first].host).second) return "the ranks of a host do not come together";
    for (std::size_t i = 0; i < each; ++i) {
      if (ranks[first + i].host != ranks[first].host)
        return "the hosts have not as many ranks each";
      if (slot_of(ranks[first + i]) != slot_of(ranks[i]))
        return fmt::format("rank {} is elsewhere on its host than rank {}", first + i, i);
    }
  }
  return "";
}

std::string unequal_hosts(const Topology& topology, const Placement& placement) {
  const Parts parts = parts_of(topology);
  if (!parts.not_a_star.empty()) return parts.not_a_star;
  const std::size_t first = host_at(placement, 0);
  const auto hosts = topology.hosts();
  for (std::size_t rank = 0; rank < placement.ranks.size();
       rank += static_cast<std::size_t>(ranks_per_host(placement))) {
    const std::size_t host = host_at(placement, rank);
    if (nature_of(hosts[host]) != nature_of(hosts[first]) ||
        !same_components(topology, parts, host, first))
      return fmt::format("host '{}' is not made as '{}'", hosts[host].name, hosts[first].name);
    if (parts.cables[host] != parts.cables[first])
      return fmt::format("the links of host '{}' are not those of '{}'", hosts[host].name,
                         hosts[first].name);
  }
  return "";
}

// Whatever chooses among equal routes takes another one for some of these flows: it goes by a hash
// of the flow.
std::string several_routes(const Topology& topology, const Placement& placement) {
  constexpr std::uint64_t flows = 24;
  KnownRoutes known(topology.graph(), topology.hosts());
  const Host& here = topology.hosts()[host_at(placement, 0)];
  const Host& there = topology.hosts()[host_at(placement, placement.ranks.size() - 1)];
  std::vector<Vertex> all = ends_of(here);
  for (const Vertex end : ends_of(there)) all.push_back(end);
  for (const Vertex from : ends_of(here))
    for (const Vertex to : all) {
      const std::vector<int> links = topology.route(from, to, 0, &known).links;
      for (std::uint64_t flow = 1; flow < flows; ++flow)
        if (topology.route(from, to, flow, &known).links != links)
          return fmt::format("several routes from '{}' to '{}' are as short",
                             topology.graph()[from].name, topology.graph()[to].name);
    }
  return "";
}

}  // namespace ringscope::sim
