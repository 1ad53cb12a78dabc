// SPDX-License-Identifier: LGPL-2.1-or-later
// Route of a message: the search's, except for what GPUs, IOMMUs and several NICs require.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "topologies/graph/nearest_nics.hpp"
#include "topologies/graph/route_cache.hpp"
#include "topologies/graph/route_search.hpp"
#include "topologies/graph/splitmix.hpp"

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

/// Variant of `links`, which lead from host to host, by the NICs that are the GPUs' at its ends,
/// where that is as short.
std::vector<int> by_own_nics(const Topology& topology, std::vector<int> links, std::uint64_t flow,
                             RouteCache* known) {
  const Vertex ends[] = {topology.source_of(links.front()), topology.target_of(links.back())};
  std::vector<Vertex> stops = {ends[0]};
  for (const Vertex end : ends)
    if (topology.graph()[end].kind == ComponentKind::gpu)
      if (const auto nic = nic_in_turn(topology, end)) stops.push_back(*nic);
  if (stops.size() == 1) return links;
  stops.push_back(ends[1]);
  std::vector<int> own;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i)
    append(own, links_of(topology, stops[i], stops[i + 1], flow, known));
  return own.size() == links.size() ? own : links;
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
std::vector<int> Topology::over_root_complex(std::vector<int> links) const {
  if (links.empty() || meets_domain(links)) return links;
  const Vertex first = source_of(links.front()), last = target_of(links.back());
  if (!is_gpu(first) && !is_gpu(last)) return links;
  if (!hosts_[static_cast<std::size_t>(graph()[first].host)].iommu) return links;
  const Vertex root = nearest_domain(is_gpu(first) ? first : last);
  links = find_links(*graph_, first, root, 0, LinkClass::other);
  append(links, find_links(*graph_, root, last, 0, LinkClass::other));
  return links;
}

Route Topology::route(Vertex from, Vertex to, std::uint64_t flow, RouteCache* known) const {
  if (from == to) return {};
  if (hash_seed_ != 0) {
    std::uint64_t state = hash_seed_;
    flow ^= next_random(state);
  }
  const int host = graph()[from].host, other_host = graph()[to].host;
  const bool peers = is_gpu(from) && is_gpu(to) && host == other_host;
  if (peers) {
    auto links = find_links(*graph_, from, to, flow, LinkClass::nvlink);
    if (!links.empty()) return summed(std::move(links));
  }
  std::vector<int> links = links_of(*this, from, to, flow, known);
  if (links.empty())
    throw std::logic_error(
        fmt::format("no route from '{}' to '{}'", graph()[from].name, graph()[to].name));
  if (!is_gpu(from) && !is_gpu(to)) return summed(std::move(links));
  if (host != other_host) links = by_own_nics(*this, std::move(links), flow, known);

  const auto leaves =
      std::ranges::find_if(links, [&](int id) { return graph()[target_of(id)].host != host; });
  const auto enters = std::find_if(
      leaves, links.end(), [&](int id) { return graph()[source_of(id)].host == other_host; });
  std::vector<int> lifted = over_root_complex({links.begin(), leaves});
  lifted.insert(lifted.end(), leaves, enters);
  append(lifted, over_root_complex({enters, links.end()}));
  Route route = summed(std::move(lifted));
  route.peer = peers;
  if (peers) route.bandwidth = std::min(route.bandwidth, graph()[from].peer_bandwidth);
  return route;
}

std::vector<Route> Topology::rails(Vertex from, Vertex to, std::uint64_t flow,
                                   std::span<const Vertex> by) const {
  const int host = graph()[from].host, other_host = graph()[to].host;
  if (host == other_host || host < 0 || other_host < 0) return {route(from, to, flow)};
  const auto& nics = hosts_[static_cast<std::size_t>(host)].nics;
  const auto& other_nics = hosts_[static_cast<std::size_t>(other_host)].nics;
  if (nics.empty() || other_nics.empty()) return {route(from, to, flow)};
  std::vector<Route> rails;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const Vertex nic = nics[i], other_nic = other_nics[i % other_nics.size()];
    std::vector<Vertex> stops = {nic};
    stops.insert(stops.end(), by.begin(), by.end());
    stops.push_back(other_nic);
    std::vector<int> links = route(from, nic, flow).links;
    append(links, route_by(*this, stops, flow).links);
    append(links, route(other_nic, to, flow).links);
    rails.push_back(summed(std::move(links)));
  }
  return rails;
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
