// SPDX-License-Identifier: LGPL-2.1-or-later
// Route of a message: the search's, except for what GPUs, IOMMUs and several NICs require.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "topologies/graph/route_search.hpp"
#include "topologies/graph/splitmix.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {
namespace {

void append(std::vector<int>& links, const std::vector<int>& more) {
  links.insert(links.end(), more.begin(), more.end());
}

std::vector<int> links_of(const Topology& topology, Vertex from, Vertex to, std::uint64_t flow,
                          RouteCache* known) {
  if (known != nullptr)
    if (auto links = known->find(from, to, flow)) return std::move(*links);
  return find_links(topology.graph(), from, to, flow, LinkClass::other);
}

bool is_only(const Topology& topology, Vertex from, Vertex to, RouteCache* known) {
  if (from == to) return true;
  if (known != nullptr)
    if (const auto only = known->is_only_route(from, to)) return *only;
  return is_only_route(topology.graph(), from, to, LinkClass::other);
}

/// Links of a route that is searched for piece by piece, and the ends of the pieces.
struct Pieces {
  std::vector<Vertex> stops;
  std::vector<int> links;
};

/// From host to host by the NICs that are the GPUs' at its ends, where that is as short.
Pieces pieces_of(const Topology& topology, Vertex from, Vertex to, std::uint64_t flow,
                 RouteCache* known) {
  Pieces straight{{from, to}, links_of(topology, from, to, flow, known)};
  if (topology.graph()[from].host == topology.graph()[to].host) return straight;
  Pieces own{{from}, {}};
  for (const Vertex end : {from, to})
    if (topology.graph()[end].kind == ComponentKind::gpu)
      if (const auto nic = nic_in_turn(topology, end)) own.stops.push_back(*nic);
  if (own.stops.size() == 1) return straight;
  own.stops.push_back(to);
  for (std::size_t i = 0; i + 1 < own.stops.size(); ++i)
    append(own.links, links_of(topology, own.stops[i], own.stops[i + 1], flow, known));
  return own.links.size() == straight.links.size() ? std::move(own) : std::move(straight);
}

/// The links inside the first host, those between, and those inside the last.
std::array<std::vector<int>, 3> by_host(const Topology& topology, const std::vector<int>& links) {
  const Graph& graph = topology.graph();
  const int host = graph[topology.source_of(links.front())].host;
  const int other_host = graph[topology.target_of(links.back())].host;
  const auto leaves = std::ranges::find_if(
      links, [&](int id) { return graph[topology.target_of(id)].host != host; });
  const auto enters = std::find_if(leaves, links.end(), [&](int id) {
    return graph[topology.source_of(id)].host == other_host;
  });
  return {std::vector<int>(links.begin(), leaves), std::vector<int>(leaves, enters),
          std::vector<int>(enters, links.end())};
}

}  // namespace

Route Topology::summed(std::vector<int> links) const {
  Route route;
  route.links = std::move(links);
  for (const int id : route.links) {
    const Link& part = link(id);
    const bool both_ways = std::ranges::find(route.links, id ^ 1) != route.links.end();
    const Bandwidth share{part.both.bytes_per_second / (both_ways ? 2 : 1)};
    route.latency += part.latency;
    route.bandwidth = std::min({route.bandwidth, part.bandwidth, share});
  }
  return route;
}

bool Topology::meets_domain(std::span<const int> links) const {
  const auto is_domain = [this](Vertex v) { return graph()[v].kind == ComponentKind::numa_domain; };
  return std::ranges::any_of(
      links, [&](int id) { return is_domain(source_of(id)) || is_domain(target_of(id)); });
}

// NVIDIA, NCCL's guide to troubleshooting, "PCI Access Control Services": an IOMMU redirects all
// PCI point-to-point traffic to the CPU's root complex. `links` lie inside one host.
std::vector<Vertex> Topology::over_root_complex(std::span<const int> links) const {
  if (links.empty() || meets_domain(links)) return {};
  const Vertex first = source_of(links.front()), last = target_of(links.back());
  if (!is_gpu(first) && !is_gpu(last)) return {};
  if (graph()[first].host != graph()[last].host) return {};
  if (!hosts_[graph()[first].host].iommu) return {};
  return {first, nearest_domain(is_gpu(first) ? first : last), last};
}

Route Topology::route(Vertex from, Vertex to, std::uint64_t flow, RouteCache* known) const {
  if (from == to) return {};
  if (hash_seed_ != 0) {
    std::uint64_t state = hash_seed_;
    flow ^= next_random(state);
  }
  const bool peers = is_gpu(from) && is_gpu(to) && graph()[from].host == graph()[to].host;
  if (peers) {
    auto links = find_links(*graph_, from, to, flow, LinkClass::nvlink);
    if (!links.empty()) return summed(std::move(links));
  }
  std::vector<int> links = pieces_of(*this, from, to, flow, known).links;
  if (links.empty())
    throw std::logic_error(
        fmt::format("no route from '{}' to '{}'", graph()[from].name, graph()[to].name));
  if (!is_gpu(from) && !is_gpu(to)) return summed(std::move(links));
  std::vector<int> lifted;
  for (const std::vector<int>& part : by_host(*this, links)) {
    const std::vector<Vertex> stops = over_root_complex(part);
    if (stops.empty()) append(lifted, part);
    for (std::size_t i = 0; i + 1 < stops.size(); ++i)
      append(lifted, find_links(*graph_, stops[i], stops[i + 1], 0, LinkClass::other));
  }
  Route route = summed(std::move(lifted));
  route.peer = peers;
  if (peers) route.bandwidth = std::min(route.bandwidth, graph()[from].peer_bandwidth);
  return route;
}

// Where the links cannot be others, nor can the parts of them that an IOMMU leads elsewhere; there
// it leads them by a separate search, whose choice depends on the components.
bool Topology::has_only_route(Vertex from, Vertex to, RouteCache* known) const {
  if (from == to) return true;
  if (is_gpu(from) && is_gpu(to) && graph()[from].host == graph()[to].host && nvlinked(from, to))
    return is_only_route(*graph_, from, to, LinkClass::nvlink);
  const auto only = [&](const std::vector<Vertex>& stops) {
    for (std::size_t i = 0; i + 1 < stops.size(); ++i)
      if (!is_only(*this, stops[i], stops[i + 1], known)) return false;
    return true;
  };
  const Pieces pieces = pieces_of(*this, from, to, 0, known);
  if (!only(pieces.stops)) return false;
  if (pieces.links.empty() || (!is_gpu(from) && !is_gpu(to))) return true;
  return std::ranges::all_of(by_host(*this, pieces.links), [&](const std::vector<int>& part) {
    return only(over_root_complex(part));
  });
}

// NIC i of the first host, to NIC i mod n of the other's. Empty where there is but one route.
std::vector<std::vector<Vertex>> Topology::rail_stops(Vertex from, Vertex to) const {
  const int host = graph()[from].host, other_host = graph()[to].host;
  std::vector<std::vector<Vertex>> rails;
  if (host == other_host || host < 0 || other_host < 0) return rails;
  const auto& nics = hosts_[host].nics;
  const auto& other_nics = hosts_[other_host].nics;
  for (std::size_t i = 0; i < nics.size() && !other_nics.empty(); ++i)
    rails.push_back({from, nics[i], other_nics[i % other_nics.size()], to});
  return rails;
}

std::vector<Route> Topology::rails(Vertex from, Vertex to, std::uint64_t flow,
                                   std::span<const Vertex> by) const {
  std::vector<Route> rails;
  for (std::vector<Vertex>& stops : rail_stops(from, to)) {
    stops.insert(stops.begin() + 2, by.begin(), by.end());
    rails.push_back(summed(route_by(*this, stops, flow).links));
  }
  if (rails.empty()) rails.push_back(route(from, to, flow));
  return rails;
}

bool Topology::has_only_rails(Vertex from, Vertex to) const {
  const std::vector<std::vector<Vertex>> rails = rail_stops(from, to);
  if (rails.empty()) return has_only_route(from, to);
  for (const std::vector<Vertex>& stops : rails)
    for (std::size_t i = 0; i + 1 < stops.size(); ++i)
      if (!has_only_route(stops[i], stops[i + 1])) return false;
  return true;
}

Route route_by(const Topology& topology, std::span<const Vertex> stops, std::uint64_t flow,
               RouteCache* known) {
  Route all;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const Route part = topology.route(stops[i], stops[i + 1], flow, known);
    all.links.insert(all.links.end(), part.links.begin(), part.links.end());
    all.latency += part.latency;
    all.bandwidth = std::min(all.bandwidth, part.bandwidth);
  }
  return all;
}

}  // namespace ringscope
