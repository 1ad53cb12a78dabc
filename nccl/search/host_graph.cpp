// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/host_graph.hpp"

#include <algorithm>
#include <cassert>
#include <map>

namespace ringscope::nccl {
namespace {

class Builder {
 public:
  Builder(const Topology& topology, int host, const std::vector<int>& gpus, bool several_hosts)
      : topology_(topology), host_(topology.hosts()[host]) {
    made_.generation = generation_of(topology, host_);
    made_.processor = processor_of(made_.generation);
    made_.several_hosts = several_hosts;
    made_.gpudirect = host_.gpudirect;
    made_.numbers = gpus;
  }

  HostGraph build() {
    for (const int number : made_.numbers)
      made_.gpus.push_back(add(NodeKind::gpu, host_.gpus.at(number)));
    for (const Vertex domain : host_.numa_domains) add(NodeKind::domain, domain);
    for (const Vertex bridge : host_.pcie_switches) add(NodeKind::pcie_switch, bridge);
    if (made_.several_hosts)
      for (const std::vector<int>& joined : joined_nics(topology_, host_)) add_port(joined);
    join_pcie();
    join_domains();
    join_nvlinks();
    for (auto& links : made_.leaving)
      std::ranges::stable_sort(links, std::greater{}, [&](int link) { return rate_of(link); });
    allow_peers();
    return std::move(made_);
  }

 private:
  const Graph& graph() const { return topology_.graph(); }
  Rate rate_of(int link) const { return made_.links[link].rate; }

  int add(NodeKind part) {
    made_.nodes.push_back(part);
    made_.leaving.emplace_back();
    return static_cast<int>(made_.nodes.size()) - 1;
  }

  int add(NodeKind part, Vertex vertex) { return nodes_[vertex] = add(part); }

  void join(int a, int b, LinkType type, Rate rate) {
    const int there = static_cast<int>(made_.links.size());
    made_.links.push_back({a, b, type, rate, there + 1});
    made_.links.push_back({b, a, type, rate, there});
    made_.leaving[a].push_back(there);
    made_.leaving[b].push_back(there + 1);
  }

  /// NICs that are one, where the first is, and their port: the cables' rate lies between them.
  void add_port(const std::vector<int>& numbers) {
    const int nic = add(NodeKind::nic, host_.nics[numbers.front()]), port = add(NodeKind::port);
    Rate cables = 0;
    for (const int number : numbers) cables += cable_of(host_.nics[number]);
    join(nic, port, LinkType::network, std::min(cables, unlimited_rate));
    made_.ports.push_back(port);
    made_.nics.push_back(numbers.front());
    joined_[nic] = static_cast<int>(numbers.size());
  }

  Rate cable_of(Vertex nic) const {
    double rate = 0;
    for (const auto [other, id] : graph().edges(nic))
      if (graph()[other].host != graph()[nic].host)
        rate = std::max(rate, graph().link(id).bandwidth.bytes_per_second);
    return rate / 1e9;
  }

  /// NICs that a node stands for; of any other one.
  int joined(int node) const {
    const auto found = joined_.find(node);
    return found == joined_.end() ? 1 : found->second;
  }

  void join_pcie() {
    for (const auto& [vertex, node] : nodes_)
      for (const auto [neighbour, id] : graph().edges(vertex)) {
        const auto other = nodes_.find(neighbour);
        if (other == nodes_.end() || other->second <= node) continue;
        const NodeKind here = made_.nodes[node];
        const NodeKind there = made_.nodes[other->second];
        if ((here == NodeKind::gpu && there == NodeKind::gpu) ||
            (here == NodeKind::domain && there == NodeKind::domain))
          continue;
        const int links = std::max(joined(node), joined(other->second));
        const Rate rate = pcie_rate(graph().link(id).bandwidth) * links;
        join(node, other->second, LinkType::pcie, std::min(rate, unlimited_rate));
      }
  }

  void join_domains() {
    for (std::size_t a = 0; a < host_.numa_domains.size(); ++a)
      for (std::size_t b = a + 1; b < host_.numa_domains.size(); ++b)
        join(nodes_.at(host_.numa_domains[a]), nodes_.at(host_.numa_domains[b]), LinkType::sockets,
             made_.processor.socket_link);
  }

  void join_nvlinks() {
    for (const int gpu : made_.gpus) {
      const Vertex vertex = vertex_of(gpu);
      Bandwidth to_switches{};
      std::map<int, Bandwidth> to_gpus;
      for (const auto [other, id] : graph().edges(vertex)) {
        const double bandwidth = graph().link(id).bandwidth.bytes_per_second;
        if (graph()[other].kind == ComponentKind::nvswitch)
          to_switches.bytes_per_second += bandwidth;
        else if (const auto node = nodes_.find(other); graph()[other].kind == ComponentKind::gpu &&
                                                       node != nodes_.end() && node->second > gpu)
          to_gpus[node->second].bytes_per_second += bandwidth;
      }
      for (const auto& [other, bandwidth] : to_gpus)
        join(gpu, other, LinkType::nvlink, nvlink_rate(bandwidth, made_.generation));
      if (to_switches.bytes_per_second > 0) {
        if (made_.nvswitch < 0) made_.nvswitch = add(NodeKind::nvswitch);
        join(gpu, made_.nvswitch, LinkType::nvlink, nvlink_rate(to_switches, made_.generation));
      }
    }
  }

  void allow_peers() {
    for (const int from : made_.gpus) {
      Table<bool>& row = made_.peers.emplace_back();
      for (const int to : made_.gpus)
        row.push_back(topology_.peer_access(vertex_of(from), vertex_of(to)));
    }
  }

  Vertex vertex_of(int gpu) const {
    const auto index = std::ranges::find(made_.gpus, gpu) - made_.gpus.begin();
    return host_.gpus[made_.numbers[index]];
  }

  const Topology& topology_;
  const Host& host_;
  HostGraph made_;
  std::map<Vertex, int> nodes_;
  std::map<int, int> joined_;  ///< NICs by node
};

/// Bits of a number below 2^n in the opposite order.
int mirrored(int number, int numbers) {
  int turned = 0;
  for (int low = 1, high = numbers / 2; high > 0; low *= 2, high /= 2)
    if ((number & low) != 0) turned |= high;
  return turned;
}

/// Members from which the others follow. All are bound: a new one does not compile until it is
/// named here.
auto given(const HostGraph& graph) {
  const auto& [generation, processor, several_hosts, nodes, links, leaving, gpus, numbers, ports,
               nics, nvswitch, gpudirect, peers, to_gpu, to_port, from_port, to_nvswitch,
               from_nvswitch, own_gpus] = graph;
  return std::tie(generation, several_hosts, nodes, links, numbers, nics, gpudirect, peers);
}

/// Rates are told to the thousandth; sums of doubles are not. None is negative.
Rate rounded(Rate rate) { return static_cast<Rate>(std::int64_t(rate * 1000 + 0.5)) / 1000; }

}  // namespace

std::string_view name_of(Distance distance) {
  static const Table<std::string_view> names = {"LOC", "NVL", "NVB", "PIX", "PXB",
                                                "PXN", "PHB", "SYS", "none"};
  return names[distance];
}

bool HostGraph::alike(const HostGraph& other) const { return given(*this) == given(other); }

Table<std::vector<int>> joined_nics(const Topology& topology, const Host& host) {
  const auto place_of = [&](Vertex device) {
    for (const auto [other, id] : topology.graph().edges(device)) {
      const ComponentKind kind = topology.graph()[other].kind;
      if (kind == ComponentKind::pcie_switch || kind == ComponentKind::numa_domain) return other;
    }
    return device;
  };
  std::map<Vertex, int> gpus;
  for (const Vertex gpu : host.gpus) ++gpus[place_of(gpu)];
  Table<std::vector<int>> groups;
  std::map<Vertex, std::vector<int>> places;
  for (int nic = 0; nic < std::ssize(host.nics); ++nic) {
    const Vertex place = place_of(host.nics[nic]);
    if (host.joins_nics && gpus.contains(place))
      places[place].push_back(nic);
    else
      groups.push_back({nic});
  }
  for (const auto& [place, nics] : places) {
    const int count = static_cast<int>(nics.size()), parts = std::min(count, gpus[place]);
    auto next = nics.begin();
    for (int part = 0; part < parts; ++part) {
      const auto end = next + count / parts + (part < count % parts ? 1 : 0);
      groups.emplace_back(next, end);
      next = end;
    }
  }
  std::ranges::sort(groups);
  return groups;
}

HostGraph host_graph(const Topology& topology, int host, const std::vector<int>& gpus,
                     bool several_hosts) {
  assert(!gpus.empty() && std::ranges::is_sorted(gpus));
  return Builder(topology, host, gpus, several_hosts).build();
}

Table<int> nearest(std::span<const LinkPath> paths) {
  Table<int> found;
  Rate rate = 0;
  Distance distance = Distance::none;
  for (int i = 0; const LinkPath& path : paths) {
    if (path.rate > rate || (path.rate == rate && path.distance < distance)) {
      rate = path.rate;
      distance = path.distance;
      found.clear();
    }
    if (path.rate == rate && path.distance == distance && rate > 0) found.push_back(i);
    ++i;
  }
  return found;
}

// Source: NCCL 2.31, src/graph/topo.cc: GPUs with the same near ports share them out; where there
// are 2^n ports the first choices are spread by the mirrored bits of the GPU's number.
int port_of(const HostGraph& graph, int gpu, int channel) {
  const Table<int> ports = nearest(graph.to_port[gpu]);
  if (ports.empty()) return -1;
  const int count = static_cast<int>(ports.size());
  const int sharing = std::max(1, static_cast<int>(nearest(graph.from_port[ports.front()]).size()));
  const int each = (count + sharing - 1) / sharing;
  int first = graph.numbers[gpu] % sharing;
  if ((count & (count - 1)) == 0) first = mirrored(first, count);
  return ports[(first + channel % each) % count];
}

int gpu_of(const HostGraph& graph, int port) {
  const std::vector<int> gpus = nearest(graph.from_port[port]);
  for (int channel = 0; channel < static_cast<int>(graph.ports.size()); ++channel)
    for (const int gpu : gpus)
      if (port_of(graph, gpu, channel) == port) return gpu;
  return -1;
}

LinkRates::LinkRates(const HostGraph& graph) : graph_(graph) {
  for (const GraphLink& link : graph.links) left_.push_back(rounded(link.rate));
}

bool LinkRates::take(const LinkPath& path, int start, Rate rate) {
  return move(path, path.links.size(), start, rate);
}

void LinkRates::give_back(const LinkPath& path, int start, Rate rate) {
  move(path, path.links.size(), start, -rate);
}

bool LinkRates::move(const LinkPath& path, std::size_t links, int start, Rate rate) {
  const auto part = [&](int node) { return graph_.nodes[node]; };
  const bool from_gpu = part(start) == NodeKind::gpu;
  const auto link_of = [&](int id) -> const GraphLink& { return graph_.links[id]; };
  const bool longer = path.distance == Distance::root && from_gpu && !graph_.processor.amd &&
                      std::ranges::any_of(path.links, [&](int id) {
                        return part(link_of(id).to) == NodeKind::domain;
                      });
  const bool may_read = graph_.generation < 80 && !from_gpu;
  for (std::size_t i = 0; i < links; ++i) {
    const GraphLink& link = link_of(path.links[i]);
    const Rate there = link.type == LinkType::pcie && longer ? rate * 6 / 5 : rate;
    const bool read = may_read && part(link.to) == NodeKind::gpu;
    const Rate back = read ? there / 8 : 0;
    Rate& forward = left_[path.links[i]];
    Rate& backward = left_[link.back];
    if (forward < there || (read && backward < back)) {
      move(path, i, start, -rate);
      return false;
    }
    forward = rounded(forward - there);
    if (read) backward = rounded(backward - back);
  }
  return true;
}

}  // namespace ringscope::nccl
