#include "topologies/topology.hpp"

#include <fmt/format.h>

#include <boost/graph/strong_components.hpp>
#include <cassert>
#include <stdexcept>
#include <unordered_set>

namespace ringscope {
namespace {

constexpr std::size_t most_components = std::size_t{1} << 20;
constexpr std::size_t most_links = std::size_t{1} << 22;

std::vector<Vertex>* list_for(Host& host, ComponentKind kind) {
  switch (kind) {
    case ComponentKind::numa_domain:
      return &host.numa_domains;
    case ComponentKind::gpu:
      return &host.gpus;
    case ComponentKind::nic:
      return &host.nics;
    case ComponentKind::pcie_switch:
    case ComponentKind::network_switch:
      break;
  }
  return nullptr;
}

void check_names(const Topology& topology, const Place& origin) {
  std::unordered_set<std::string_view> names;
  const auto require_new = [&](const std::string& name) {
    if (!names.insert(name).second)
      throw InputError(origin, fmt::format("two parts of the topology are named '{}'", name));
  };
  for (const Host& host : topology.hosts()) require_new(host.name);
  for (Vertex v = 0; v < num_vertices(topology.graph()); ++v) require_new(topology.graph()[v].name);
}

void check_hosts(const Topology& topology, const Place& origin) {
  if (topology.hosts().empty()) throw InputError(origin, "the topology has no host");
  for (const Host& host : topology.hosts()) {
    int cores = 0;
    for (const Vertex domain : host.numa_domains) cores += topology.graph()[domain].cores;
    if (cores < 1) throw InputError(origin, fmt::format("'{}' has no core", host.name));
    for (const Vertex domain : host.numa_domains) {
      const Component& component = topology.graph()[domain];
      if (!(component.memory.bytes_per_second > 0))
        throw InputError(origin,
                         fmt::format("the memory of '{}' has no bandwidth", component.name));
    }
  }
}

void check_links(const Topology& topology, const Place& origin) {
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    if (!(link.bandwidth.bytes_per_second > 0))
      throw InputError(origin, fmt::format("the link '{}' has no bandwidth", link.name));
    if (!(link.latency >= Seconds(0)))
      throw InputError(origin, fmt::format("the latency of the link '{}' is negative", link.name));
  }
}

void check_reach(const Topology& topology, const Place& origin) {
  const Graph& graph = topology.graph();
  std::vector<int> island(num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(island.begin(), get(boost::vertex_index, graph)));
  const Vertex first = topology.hosts().front().numa_domains.front();
  for (const Host& host : topology.hosts()) {
    for (const Vertex domain : host.numa_domains) {
      if (island[domain] == island[first]) continue;
      throw InputError(origin, fmt::format("no way leads from '{}' to '{}'", graph[first].name,
                                           graph[domain].name));
    }
  }
}

}  // namespace

int Topology::add_host(std::string name) {
  if (hosts_.size() == most_components)
    throw std::length_error(fmt::format("more than {} hosts", most_components));
  hosts_.push_back({std::move(name), {}, {}, {}});
  return static_cast<int>(hosts_.size()) - 1;
}

Vertex Topology::add_component(Component component) {
  if (num_vertices(*graph_) == most_components)
    throw std::length_error(fmt::format("more than {} components", most_components));
  const int host = component.host;
  const ComponentKind kind = component.kind;
  const Vertex vertex = add_vertex(std::move(component), *graph_);
  if (host >= 0) {
    if (auto* list = list_for(hosts_.at(static_cast<std::size_t>(host)), kind))
      list->push_back(vertex);
  }
  return vertex;
}

// The two directions of a cable have neighbouring ids, so that the opposite of `id` is `id ^ 1`.
void Topology::connect(Vertex a, Vertex b, Bandwidth bandwidth, Seconds latency) {
  if (links_.size() + 2 > most_links)
    throw std::length_error(fmt::format("more than {} links", most_links));
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    Link link{link_count(), fmt::format("{}->{}", graph()[from].name, graph()[to].name), bandwidth,
              latency};
    links_.push_back(add_edge(from, to, std::move(link), *graph_).first);
  }
}

const Link& Topology::link(int id) const {
  return graph()[links_.at(static_cast<std::size_t>(id))];
}

bool Topology::is_cable(int id) const {
  const Graph::edge_descriptor edge = links_.at(static_cast<std::size_t>(id));
  const auto kind = [this](Vertex vertex) { return graph()[vertex].kind; };
  return kind(source(edge, graph())) == ComponentKind::network_switch ||
         kind(target(edge, graph())) == ComponentKind::network_switch;
}

void Topology::check(const Place& origin) const {
  for (std::size_t id = 0; id < links_.size(); ++id) {
    assert(source(links_[id], *graph_) == target(links_[id ^ 1], *graph_));
    assert(graph()[links_[id]].id == static_cast<int>(id));
  }
  check_names(*this, origin);
  check_hosts(*this, origin);
  check_links(*this, origin);
  check_reach(*this, origin);
}

}  // namespace ringscope
