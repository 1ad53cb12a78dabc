// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/search/machine_parts.hpp"

#include <fmt/format.h>

#include <iterator>

#include "topologies/graph/route_search.hpp"

namespace ringscope {
namespace {

int number_of(bool value) { return value ? 1 : 0; }
int number_of(int value) { return value; }
int number_of(ComponentKind value) { return static_cast<int>(value); }
double number_of(Bandwidth value) { return value.bytes_per_second; }
double number_of(Seconds value) { return value.count(); }
std::uint64_t number_of(Bytes value) { return value.count; }

/// A word, and the numbers behind it.
std::string worded(std::string words, const auto& properties) {
  const auto add = [&](const auto&... values) {
    (fmt::format_to(std::back_inserter(words), " {}", number_of(values)), ...);
  };
  std::apply(add, properties);
  return words;
}

template <typename List, typename Item>
std::ptrdiff_t place_in(const List& list, const Item& item) {
  return std::ranges::find(list, item) - list.begin();
}

}  // namespace

MachineParts::MachineParts(const Topology& topology, const SymmetryRules& rules)
    : topology_(&topology), rules_(&rules), parts_(topology.hosts().size()) {
  find_nodes();
  for (int host = 0; host < static_cast<int>(parts_.size()); ++host) {
    const int mark = rules.marks.empty() ? 0 : rules.marks[host];
    std::string words = fmt::format("{} mark {}", inside_words(host), mark);
    if (rules.has_others(host)) words += fmt::format(" host {}", host);
    kinds_.push_back(number_of(words));
  }
  find_cables();
}

int MachineParts::number_of(const std::string& words) const {
  return numbers_.try_emplace(words, static_cast<int>(numbers_.size())).first->second;
}

std::string MachineParts::component_words(Vertex vertex) const {
  return worded("part", properties_of(topology_->graph()[vertex]));
}

std::string MachineParts::link_words(int id) const {
  return worded("link", properties_of(topology_->link(id)));
}

void MachineParts::find_nodes() {
  const Graph& graph = topology_->graph();
  int nodes = static_cast<int>(parts_.size());
  for (Vertex v = 0; v < graph.size(); ++v) {
    const int host = graph[v].host;
    if (host >= 0) parts_[host].push_back(v);
    if (host < 0) outside_.push_back(component_words(v));
    node_.push_back(host >= 0 ? host : nodes++);
  }
  neighbours_.resize(nodes);
}

/// Everything in the host by its index there. Names do not count, and of peer access only from
/// which GPU to which it is granted, by whatever rule.
std::string MachineParts::inside_words(int host) const {
  const Host& rules = topology_->hosts()[host];
  const std::vector<Vertex>& parts = parts_[host];
  std::string words = worded("host", properties_of(rules));
  for (const Vertex part : parts) {
    words += fmt::format("; {} {}", component_words(part), topology_->graph()[part].socket);
    for (const auto [other, id] : topology_->graph().edges(part))
      if (topology_->graph()[other].host == host)
        words += fmt::format(", {} to {}", link_words(id), place_in(parts, other));
  }
  for (const Vertex from : rules.gpus)
    for (const Vertex to : rules.gpus) words += topology_->peer_access(from, to) ? 'p' : '-';
  return words;
}

/// Destinations of a component's cables, node by node.
std::string MachineParts::outside_words(Vertex vertex) const {
  std::string words;
  for (const auto [other, id] : topology_->graph().edges(vertex))
    if (node_[other] != node_[vertex])
      words += fmt::format("; {}, {} to {}", link_words(id), link_words(id ^ 1), node_[other]);
  return words;
}

void MachineParts::find_cables() {
  for (int id = 0; id < topology_->link_count(); ++id) {
    const Vertex from = topology_->source_of(id), to = topology_->target_of(id);
    const int node = node_[from], other = node_[to];
    if (node == other) continue;
    const auto number_in = [this](Vertex v) {
      const int host = topology_->graph()[v].host;
      return host < 0 ? 0 : place_in(parts_[host], v);
    };
    auto [cables, is_new] = cables_.try_emplace({node, other});
    ++cables->second.count;
    cables->second.words +=
        fmt::format("; {} from {} to {}", link_words(id), number_in(from), number_in(to));
    if (is_new) neighbours_[node].push_back(other);
  }
}

std::vector<Vertex> MachineParts::bins_in(int host) const {
  const Host& parts = topology_->hosts()[host];
  return rules_->slot_kind == SlotKind::gpu ? parts.gpus : parts.numa_domains;
}

bool MachineParts::are_only_routes(Vertex from, Vertex to) const {
  const Graph& graph = topology_->graph();
  if (takes_detours(topology_->routing()) && graph[from].host != graph[to].host) return false;
  const auto only = [&](Vertex a, Vertex b, LinkClass allowed) {
    return a == b || is_only_route(graph, a, b, allowed);
  };
  const auto is_gpu = [&](Vertex v) { return graph[v].kind == ComponentKind::gpu; };
  const std::vector<Vertex> stops = topology_->stops(from, to);
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const Vertex here = stops[i], next = stops[i + 1];
    if (!topology_->has_only_route(here, next)) return false;
    // GPUs that change places take turns in another order with the NICs that are near them.
    const bool nvlink = is_gpu(here) && is_gpu(next) && topology_->nvlinked(here, next);
    if (!only(here, next, nvlink ? LinkClass::nvlink : LinkClass::other)) return false;
  }
  if (!rules_->nics_by_number || graph[from].host == graph[to].host) return true;
  for (const Vertex nic : topology_->hosts()[graph[from].host].nics) {
    if (!only(from, nic, LinkClass::other)) return false;
    for (const Vertex other : topology_->hosts()[graph[to].host].nics)
      if (!only(nic, other, LinkClass::other)) return false;
  }
  return true;
}

// In a tree of hosts and switches with one cable between two switches, what can be chosen lies
// inside the two hosts: two hosts of each kind stand for all.
bool MachineParts::only_routes() const {
  constexpr std::size_t most_bins = 256;
  if (topology_->link_count() / 2 + 1 == std::ssize(topology_->graph())) return true;
  bool one_cable = is_tree();
  for (const auto& [nodes, cables] : cables_)
    if (std::min(nodes.first, nodes.second) >= std::ssize(parts_))
      one_cable = one_cable && cables.count == 1;
  std::map<int, int> looked_at;
  std::vector<Vertex> ends;
  for (int host = 0; host < static_cast<int>(parts_.size()); ++host) {
    if (one_cable && ++looked_at[kinds_[host]] > 2) continue;
    const std::vector<Vertex> bins = bins_in(host);
    ends.insert(ends.end(), bins.begin(), bins.end());
  }
  if (ends.size() > most_bins) return false;
  for (const Vertex from : ends)
    for (const Vertex to : ends)
      if (from != to && !are_only_routes(from, to)) return false;
  return true;
}

bool MachineParts::is_tree() const {
  if (cables_.size() / 2 + 1 != neighbours_.size()) return false;
  Table<char> reached(neighbours_.size());
  std::vector<int> open = {0};
  reached[0] = true;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const int next : neighbours_[open[i]]) {
      if (!reached[next]) open.push_back(next);
      reached[next] = true;
    }
  }
  return open.size() == neighbours_.size();
}

/// One node, or two neighbours: what is left when leaves are taken away round by round.
std::vector<int> MachineParts::centre() const {
  Table<std::size_t> degree;
  std::vector<int> leaves;
  for (int node = 0; node < static_cast<int>(neighbours_.size()); ++node) {
    degree.push_back(neighbours_[node].size());
    if (degree.back() <= 1) leaves.push_back(node);
  }
  std::size_t left = neighbours_.size();
  while (left > 2) {
    left -= leaves.size();
    std::vector<int> next;
    for (const int leaf : leaves)
      for (const int node : neighbours_[leaf])
        if (--degree[node] == 1) next.push_back(node);
    leaves = std::move(next);
  }
  return leaves;
}

std::string MachineParts::node_words(int node) const {
  return parts_.has(node) ? fmt::format("kind {}", kinds_[node])
                          : outside_[node - std::ssize(parts_)];
}

ColouredTree MachineParts::tree() const {
  const Table<int> middle = centre();
  const int nodes = static_cast<int>(neighbours_.size());
  ColouredTree tree;
  tree.parents = Table<int>(nodes, -1);
  std::vector<int> open = middle;
  Table<std::string> up(nodes);
  // Between two nodes in the middle stands a root of its own, which keeps them alike.
  if (middle.size() == 2) {
    tree.parents.push_back(-1);
    for (int i = 0; i < 2; ++i) {
      tree.parents[middle[i]] = nodes;
      up[middle[i]] = cables_.at({middle[i], middle[1 - i]}).words;
    }
  }
  Table<char> reached(nodes);
  for (const int node : middle) reached[node] = true;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const int next : neighbours_[open[i]]) {
      if (reached[next]) continue;
      reached[next] = true;
      tree.parents[next] = open[i];
      up[next] = cables_.at({next, open[i]}).words + " back " + cables_.at({open[i], next}).words;
      open.push_back(next);
    }
  }
  for (int node = 0; node < nodes; ++node)
    tree.colours.push_back(number_of(node_words(node) + up[node]));
  if (middle.size() == 2) tree.colours.push_back(number_of("middle"));
  return tree;
}

ColouredGraph MachineParts::network() const {
  ColouredGraph graph;
  for (int node = 0; node < static_cast<int>(neighbours_.size()); ++node)
    graph.colours.push_back(number_of(node_words(node)));
  for (const auto& [nodes, cables] : cables_) {
    const int cable = static_cast<int>(graph.colours.size());
    graph.colours.push_back(number_of(cables.words));
    graph.edges.insert(graph.edges.end(), {{nodes.first, cable}, {cable, nodes.second}});
  }
  return graph;
}

std::unique_ptr<PointSymmetry> MachineParts::symmetry_of_hosts() const {
  std::vector<int> hosts = numbers_below(parts_.size());
  if (is_tree()) return std::make_unique<TreeSymmetry>(tree(), hosts);
  return std::make_unique<GraphSymmetry>(network(), hosts);
}

std::unique_ptr<PointSymmetry> MachineParts::symmetry_on_switches() const {
  ColouredTree tree;
  std::map<std::string, std::vector<int>> by_cables;
  const int hosts = static_cast<int>(parts_.size());
  for (int host = 0; const std::vector<Vertex>& parts : parts_) {
    std::string cables;
    for (const Vertex part : parts) cables += outside_words(part) + '|';
    by_cables[cables].push_back(host);
    tree.colours.push_back(kinds_[host++]);
  }
  const int root = hosts + static_cast<int>(by_cables.size());
  Table<int> parents(root, root);
  parents.push_back(-1);
  for (int group = hosts; const auto& [cables, members] : by_cables) {
    for (const int host : members) parents[host] = group;
    tree.colours.push_back(number_of(cables));
    ++group;
  }
  tree.colours.push_back(number_of("root"));
  tree.parents = std::move(parents);
  Table<int> points = numbers_below(hosts);
  return std::make_unique<TreeSymmetry>(tree, points);
}

ColouredGraph MachineParts::inside_graph(int host) const {
  const Host& rules = topology_->hosts()[host];
  const std::vector<Vertex>& parts = parts_[host];
  ColouredGraph graph;
  const auto join = [&](Vertex from, Vertex to, const std::string& words) {
    const int edge = static_cast<int>(graph.colours.size());
    graph.colours.push_back(number_of(words));
    graph.edges.push_back({static_cast<int>(place_in(parts, from)), edge});
    graph.edges.push_back({edge, static_cast<int>(place_in(parts, to))});
  };
  for (const Vertex part : parts) {
    std::string words = component_words(part) + outside_words(part);
    if (rules_->nics_by_number && topology_->graph()[part].kind == ComponentKind::nic)
      words += fmt::format(" number {}", place_in(rules.nics, part));
    graph.colours.push_back(number_of(words));
  }
  for (const Vertex part : parts) {
    for (const auto [other, id] : topology_->graph().edges(part))
      if (topology_->graph()[other].host == host) join(part, other, link_words(id));
    for (const Vertex other : parts) {
      const int socket = topology_->graph()[part].socket;
      if (part != other && socket >= 0 && socket == topology_->graph()[other].socket)
        join(part, other, "one socket");
    }
  }
  for (const Vertex gpu : rules.gpus) {
    join(gpu, topology_->nearest_domain(gpu), "near");
    for (const Vertex other : rules.gpus)
      if (other != gpu && topology_->peer_access(gpu, other)) join(gpu, other, "peers");
  }
  return graph;
}

std::shared_ptr<const PointSymmetry> MachineParts::symmetry_inside(int host) const {
  std::vector<int> points;
  for (const Vertex bin : bins_in(host))
    points.push_back(static_cast<int>(place_in(parts_[host], bin)));
  return std::make_shared<GraphSymmetry>(inside_graph(host), points);
}

}  // namespace ringscope
