// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <unordered_set>

namespace ringscope {
namespace {

constexpr std::size_t most_links = std::size_t{1} << 22;

/// In the order of the kinds; null where hosts have no list of that kind.
std::vector<Vertex>* list_for(Host& host, ComponentKind kind) {
  const Array<std::vector<Vertex>*, 6> lists = {
      &host.numa_domains, &host.pcie_switches, &host.gpus, &host.nics, nullptr, nullptr};
  return lists[kind];
}

void check_names(const Topology& topology, const Place& origin) {
  std::unordered_set<std::string_view> names;
  names.reserve(topology.hosts().size() + topology.graph().size());
  const auto require_new = [&](const std::string& name) {
    if (!names.insert(name).second)
      throw InputError(origin, "two parts of the topology are named '{}'", name);
  };
  for (const Host& host : topology.hosts()) require_new(host.name);
  for (Vertex v = 0; v < topology.graph().size(); ++v) require_new(topology.graph()[v].name);
}

void check_hosts(const Topology& topology, const Place& origin) {
  if (topology.hosts().empty()) throw InputError(origin, "the topology has no host");
  for (const Host& host : topology.hosts()) {
    int cores = 0;
    for (const Vertex domain : host.numa_domains) cores += topology.graph()[domain].cores;
    if (cores < 1) throw InputError(origin, "'{}' has no core", host.name);
    for (const Vertex domain : host.numa_domains) {
      const Component& component = topology.graph()[domain];
      if (!(component.memory.bytes_per_second > 0))
        throw InputError(origin, "the memory of '{}' has no bandwidth", component.name);
    }
  }
}

void check_gpus(const Topology& topology, const Place& origin) {
  for (const Host& host : topology.hosts()) {
    for (const Vertex gpu : host.gpus) {
      const Component& component = topology.graph()[gpu];
      for (const Bandwidth bandwidth :
           {component.memory, component.copy_bandwidth, component.peer_bandwidth})
        if (!(bandwidth.bytes_per_second > 0))
          throw InputError(origin, "a part of '{}' has no bandwidth", component.name);
    }
    if (host.peer_access != PeerAccess::matrix) continue;
    const auto fits = [&host](const auto& list) { return list.size() == host.gpus.size(); };
    if (!fits(host.peer_matrix) || !std::ranges::all_of(host.peer_matrix, fits))
      throw InputError(origin, "the peer matrix of '{}' is not {} x {}", host.name,
                       host.gpus.size(), host.gpus.size());
  }
}

void check_links(const Topology& topology, const Place& origin) {
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    if (!(link.bandwidth.bytes_per_second > 0) || !(link.both.bytes_per_second > 0))
      throw InputError(origin, "the link '{}' has no bandwidth", link.name);
    if (!(link.latency >= Seconds(0)))
      throw InputError(origin, "the latency of the link '{}' is negative", link.name);
  }
}

/// Components that links lead to from `open`, through those that `passes` allows: by vertex.
template <typename Passes>
std::vector<char> reached_from(std::vector<Vertex> open, const Graph& graph, Passes passes) {
  std::vector<char> reached(graph.size());
  for (const Vertex first : open) reached[first] = true;
  while (!open.empty()) {
    const Vertex here = open.back();
    open.pop_back();
    for (const auto [next, id] : graph.edges(here)) {
      if (reached[next] || !passes(here, next)) continue;
      reached[next] = true;
      open.push_back(next);
    }
  }
  return reached;
}

/// Every link has an opposite: what is reached from one end reaches it.
std::string gap_between(const Topology& topology) {
  const Graph& graph = topology.graph();
  const Vertex first = topology.hosts().front().numa_domains.front();
  const auto reached = reached_from({first}, graph, [](Vertex, Vertex) { return true; });
  for (const Host& host : topology.hosts()) {
    for (const Vertex domain : host.numa_domains) {
      if (reached[domain]) continue;
      return fmt::format("no route leads from '{}' to '{}'", graph[first].name, graph[domain].name);
    }
  }
  return "";
}

/// NVSwitches are left out: only GPUs lead to them, which do not forward.
std::string gap_inside(const Topology& topology) {
  const Graph& graph = topology.graph();
  std::vector<Vertex> first_domains;
  for (const Host& host : topology.hosts()) first_domains.push_back(host.numa_domains.front());
  const auto reached = reached_from(first_domains, graph, [&](Vertex here, Vertex next) {
    return graph[here].kind != ComponentKind::gpu && graph[next].host == graph[here].host;
  });
  for (Vertex v = 0; v < graph.size(); ++v) {
    const Component& part = graph[v];
    if (part.host < 0 || part.kind == ComponentKind::nvswitch || reached[v]) continue;
    const Host& host = topology.hosts()[part.host];
    return fmt::format("inside '{}' no route leads from '{}' to '{}'", host.name,
                       graph[host.numa_domains.front()].name, part.name);
  }
  return "";
}

}  // namespace

int Topology::add_host(std::string name) {
  if (std::ssize(hosts_) == most_components)
    throw std::length_error(fmt::format("more than {} hosts", most_components));
  hosts_.emplace_back().name = std::move(name);
  return static_cast<int>(hosts_.size()) - 1;
}

Vertex Topology::add_component(Component component) {
  if (std::ssize(*graph_) == most_components)
    throw std::length_error(fmt::format("more than {} components", most_components));
  const int host = component.host;
  const ComponentKind kind = component.kind;
  const Vertex vertex = graph_->add(std::move(component));
  if (host >= 0) {
    if (auto* list = list_for(hosts_.at(host), kind)) list->push_back(vertex);
  }
  return vertex;
}

// The first of several gets its number when the second one comes. Those of two ends are mostly made
// in a row, so the search begins with the last.
std::string Topology::number_beside(Vertex a, Vertex b) {
  const std::span<const Edge> edges = graph().edges(a);
  const auto found =
      std::find_if(edges.rbegin(), edges.rend(), [&](const Edge& edge) { return edge.to == b; });
  if (found == edges.rend()) return "";
  const int last = found->link;
  const std::string& name = link(last).name;
  const auto number = name.find_last_not_of("0123456789");
  if (name[number] == '#') return fmt::format("#{}", std::stoi(name.substr(number + 1)) + 1);
  for (const int one : {last, last ^ 1}) graph_->link(one).name += "#0";
  return "#1";
}

void Topology::connect(Vertex a, Vertex b, Bandwidth bandwidth, Seconds latency) {
  connect(a, b, {bandwidth, bandwidth, latency});
}

void Topology::connect(Vertex a, Vertex b, const LinkPair& pair) {
  if (graph_->link_count() + 2 > most_links)
    throw std::length_error(fmt::format("more than {} links", most_links));
  const std::string number = number_beside(a, b);
  const auto add = [&](Vertex from, Vertex to, Bandwidth bandwidth) {
    std::string name = fmt::format("{}->{}{}", graph()[from].name, graph()[to].name, number);
    graph_->connect(from, to, {-1, std::move(name), bandwidth, pair.latency, pair.both});
  };
  add(a, b, pair.forward);
  add(b, a, pair.backward);
}

void Topology::degrade(int link, double share) {
  for (const int id : {link, link ^ 1}) {
    Link& one = graph_->link(id);
    one.bandwidth.bytes_per_second *= share;
    one.both.bytes_per_second *= share;
  }
}

void Topology::remove(const std::set<int>& dead) {
  auto left = std::make_shared<Graph>();
  for (Vertex v = 0; v < graph_->size(); ++v) left->add(graph()[v]);
  std::set<Vertex> unplugged;
  for (int id = 0; id < link_count(); ++id) {
    if (dead.contains(id) || dead.contains(id ^ 1)) {
      if (is_cable(id)) unplugged.insert(source_of(id));
      continue;
    }
    left->connect(source_of(id), target_of(id), link(id));
  }
  graph_ = std::move(left);
  for (int id = 0; id < link_count(); ++id)
    if (is_cable(id)) unplugged.erase(source_of(id));
  for (Host& host : hosts_)
    std::erase_if(host.nics, [&](Vertex nic) { return unplugged.contains(nic); });
}

bool Topology::is_cable(int id) const {
  return graph()[source_of(id)].kind == ComponentKind::network_switch ||
         graph()[target_of(id)].kind == ComponentKind::network_switch;
}

void Topology::check(const Place& origin) const {
  for (int id = 0; id < link_count(); ++id) assert(source_of(id) == target_of(id ^ 1));
  check_names(*this, origin);
  check_hosts(*this, origin);
  check_gpus(*this, origin);
  check_links(*this, origin);
  const std::string missing = gap();
  if (!missing.empty()) throw InputError(origin, missing);
}

std::string Topology::gap() const {
  const std::string between = gap_between(*this);
  return between.empty() ? gap_inside(*this) : between;
}

int cores_of(const Topology& topology, int host) {
  int cores = 0;
  for (const Vertex domain : topology.hosts()[host].numa_domains)
    cores += topology.graph()[domain].cores;
  return cores;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most_listed = 3;
  const std::size_t shown = std::min(most_listed, names.size());
  const std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() == shown) return text;
  return text + fmt::format(" and {} more", names.size() - shown);
}

std::vector<std::string> together(std::initializer_list<std::vector<std::string>> kinds) {
  std::vector<std::string> all;
  for (const auto& kind : kinds) all.insert(all.end(), kind.begin(), kind.end());
  return all;
}

namespace {

/// True if two of the host's GPUs have peer access that is not NVLink's.
bool has_pcie_peers(const Topology& topology, const Host& host) {
  for (const Vertex from : host.gpus)
    for (const Vertex to : host.gpus)
      if (from != to && topology.peer_access(from, to) && !topology.nvlinked(from, to)) return true;
  return false;
}

/// NICs whose slot carries less than their cable: by more than the slot's payload is less than its
/// signalling rate.
std::vector<std::string> narrow_slots(const Topology& topology) {
  constexpr double enough = 0.9;
  std::vector<std::string> narrow;
  std::string example;
  for (const Host& host : topology.hosts()) {
    for (const Vertex nic : host.nics) {
      const Bandwidth slot = widest_link(topology, nic, true);
      const Bandwidth cable = widest_link(topology, nic, false);
      if (cable == Bandwidth::unlimited() ||
          slot.bytes_per_second >= enough * cable.bytes_per_second)
        continue;
      if (narrow.empty())
        example = fmt::format("{}, and the link {}", to_short_text(slot), to_short_text(cable));
      narrow.push_back(topology.graph()[nic].name);
    }
  }
  if (narrow.empty()) return {};
  return {fmt::format("a slot slower than its network link limits {}: the slot of {} carries {}",
                      listed(narrow), narrow.front(), example)};
}

}  // namespace

Bandwidth widest_link(const Topology& topology, Vertex nic, bool inside) {
  const Graph& graph = topology.graph();
  Bandwidth found{0};
  for (const Edge& edge : graph.edges(nic))
    if ((graph[edge.to].host == graph[nic].host) == inside)
      found = std::max(found, graph.link(edge.link).bandwidth);
  return found;
}

std::vector<std::string> hanging_peers(const Topology& topology) {
  std::vector<std::string> hanging;
  for (const Host& host : topology.hosts())
    if (host.iommu && has_pcie_peers(topology, host)) hanging.push_back(host.name);
  if (hanging.empty()) return {};
  // As in github.com/NVIDIA/nccl/issues/257, on four GTX 1080 Ti; NVIDIA's CUDA C++ Programming
  // Guide, "IOMMU on Linux", supports no peer copies on bare metal with an IOMMU at all.
  return {fmt::format(
      "peer access with an IOMMU is known to hang: switch the IOMMU off (kernel options "
      "intel_iommu=off, amd_iommu=off or iommu=soft), or set 'peer_access: none', on {}",
      listed(hanging))};
}

std::vector<std::string> warnings(const Topology& topology) {
  return together({hanging_peers(topology), narrow_slots(topology)});
}

}  // namespace ringscope
