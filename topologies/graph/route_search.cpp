// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/route_search.hpp"

#include <algorithm>

#include "topologies/graph/splitmix.hpp"

namespace ringscope {

bool Bounds::allow(const Graph& graph, Vertex vertex) const {
  const Component& part = graph[vertex];
  const bool inside = hosts[0] == hosts[1];
  if (part.host != hosts[0] && part.host != hosts[1] && (part.host != none || inside)) return false;
  if (vertex == other_end) return true;
  if (part.kind == ComponentKind::gpu) return false;
  if ((part.kind == ComponentKind::nvswitch) != (allowed == LinkClass::nvlink)) return false;
  return graph.edges(vertex).size() > 1;
}

BfsLevels::BfsLevels(const Graph& graph, Vertex end, const Bounds& bounds)
    : graph_(&graph), bounds_(bounds), frontier_{static_cast<std::uint32_t>(end)} {
  levels_.push_back({frontier_, {0, 0}, {}, graph.edges(end).size()});
}

int BfsLevels::Level::find(Vertex component) const {
  const auto found = std::ranges::lower_bound(components, component);
  if (found == components.end() || *found != component) return -1;
  return static_cast<int>(found - components.begin());
}

std::span<const BfsLevels::Arrival> BfsLevels::Level::arrivals_at(Vertex component) const {
  const int index = find(component);
  return std::span(arrivals).subspan(first[index], first[index + 1] - first[index]);
}

const BfsLevels::Level& BfsLevels::level(std::size_t number) {
  while (levels_.size() <= number) advance();
  return levels_[number];
}

// Links have opposites: what is next to a level lies in it, or in the one before or behind it.
bool BfsLevels::seen(Vertex v) const {
  const std::size_t count = levels_.size();
  return levels_[count - 1].find(v) >= 0 || (count > 1 && levels_[count - 2].find(v) >= 0);
}

void BfsLevels::advance() {
  struct Step {
    std::uint32_t to;
    Arrival arrival;
  };
  std::vector<Step> steps;
  for (const std::uint32_t v : frontier_)
    for (const auto [next, id] : graph_->edges(v))
      if (bounds_.allow(*graph_, next) && !seen(next))
        steps.push_back({static_cast<std::uint32_t>(next), {v, id}});
  std::vector<std::uint32_t> order = numbers_below<std::uint32_t>(steps.size());
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return steps[i].to; });
  Level level;
  std::vector<std::uint32_t> first_steps;
  for (const std::uint32_t i : order) {
    if (level.components.empty() || level.components.back() != steps[i].to) {
      level.components.push_back(steps[i].to);
      level.first.push_back(static_cast<std::uint32_t>(level.arrivals.size()));
      level.links += graph_->edges(steps[i].to).size();
      first_steps.push_back(i);
    }
    level.arrivals.push_back(steps[i].arrival);
  }
  level.first.push_back(static_cast<std::uint32_t>(level.arrivals.size()));
  std::ranges::sort(first_steps);
  frontier_.clear();
  for (const std::uint32_t i : first_steps) frontier_.push_back(steps[i].to);
  size_ += level.arrivals.size() + 1;
  levels_.push_back(std::move(level));
}

const BfsLevels::Level& Meeting::newest(int side) const {
  return sides_[side]->level(reached_[side]);
}

int Meeting::moving() const { return newest(0).links <= newest(1).links ? 0 : 1; }

bool Meeting::advance(int side) {
  ++reached_[side];
  const auto& components = newest(side).components;
  std::ranges::set_intersection(components, newest(1 - side).components,
                                std::back_inserter(middles_));
  return !components.empty();
}

std::vector<int> Meeting::links_back(int side, Vertex v, std::uint64_t& random_state) const {
  std::vector<int> links;
  for (std::size_t number = reached_[side]; number > 0; --number) {
    const auto arrivals = sides_[side]->level(number).arrivals_at(v);
    const BfsLevels::Arrival& arrival = arrivals[next_random(random_state) % arrivals.size()];
    links.push_back(arrival.link);
    v = arrival.from;
  }
  return links;
}

bool Meeting::has_only_route_back(int side, Vertex v) const {
  for (std::size_t number = reached_[side]; number > 0; --number) {
    const auto arrivals = sides_[side]->level(number).arrivals_at(v);
    if (arrivals.size() != 1) return false;
    v = arrivals.front().from;
  }
  return true;
}

std::vector<int> Meeting::links(std::uint64_t random_state) const {
  const Vertex middle = middles_[next_random(random_state) % middles_.size()];
  std::vector<int> links = links_back(0, middle, random_state);
  std::ranges::reverse(links);
  for (const int id : links_back(1, middle, random_state)) links.push_back(id ^ 1);
  return links;
}

bool Meeting::is_only_route() const {
  return middles_.size() == 1 && has_only_route_back(0, middles_[0]) &&
         has_only_route_back(1, middles_[0]);
}

namespace {

/// Levels around two ends, for one search.
struct Pair {
  Pair(const Graph& graph, Vertex from, Vertex to, LinkClass allowed)
      : around_from(graph, from, {{graph[from].host, graph[to].host}, to, allowed}),
        around_to(graph, to, {{graph[from].host, graph[to].host}, from, allowed}),
        meeting(around_from, around_to) {
    while (!meeting.is_found() && meeting.advance(meeting.moving())) {
    }
  }

  BfsLevels around_from, around_to;
  Meeting meeting;
};

}  // namespace

std::vector<int> find_links(const Graph& graph, Vertex from, Vertex to, std::uint64_t flow,
                            LinkClass allowed) {
  const Pair pair(graph, from, to, allowed);
  return pair.meeting.is_found() ? pair.meeting.links(random_of({from, to, flow}))
                                 : std::vector<int>();
}

bool is_only_route(const Graph& graph, Vertex from, Vertex to, LinkClass allowed) {
  const Pair pair(graph, from, to, allowed);
  return !pair.meeting.is_found() || pair.meeting.is_only_route();
}

BfsLevels& RouteCache::around(Vertex end) {
  const Bounds bounds{{(*graph_)[end].host, Bounds::none}, no_vertex};
  return known_.try_emplace(end, *graph_, end, bounds).first->second;
}

const std::vector<Vertex>& RouteCache::doors(int host) {
  const auto [entry, is_new] = doors_.try_emplace(host);
  if (!is_new) return entry->second;
  const Host& inside = hosts_[host];
  for (const auto* list : {&inside.numa_domains, &inside.gpus, &inside.nics, &inside.pcie_switches})
    for (const Vertex v : *list)
      for (const auto [next, id] : graph_->edges(v))
        if ((*graph_)[next].host != host) entry->second.push_back(next);
  return entry->second;
}

std::optional<Meeting> RouteCache::meet(Vertex from, Vertex to) {
  constexpr std::size_t most_kept = 1 << 22;  // arrivals: some 64 MB
  const int hosts[] = {(*graph_)[from].host, (*graph_)[to].host};
  if (hosts[0] == hosts[1] || hosts[0] < 0 || hosts[1] < 0) return {};
  if (kept_ > most_kept) {
    known_.clear();
    kept_ = 0;
  }
  BfsLevels &around_from = around(from), &around_to = around(to);
  const std::size_t before = around_from.size() + around_to.size();
  Meeting meeting(around_from, around_to);
  while (!meeting.is_found()) {
    const int side = meeting.moving();
    const BfsLevels::Level& here = meeting.newest(side);
    const bool enters =
        std::ranges::any_of(doors(hosts[1 - side]), [&](Vertex v) { return here.find(v) >= 0; });
    if (enters || !meeting.advance(side)) return {};
  }
  kept_ += around_from.size() + around_to.size() - before;
  return meeting;
}

std::optional<std::vector<int>> RouteCache::find(Vertex from, Vertex to, std::uint64_t flow) {
  const auto meeting = meet(from, to);
  if (!meeting) return {};
  return meeting->links(random_of({from, to, flow}));
}

std::optional<bool> RouteCache::is_only_route(Vertex from, Vertex to) {
  const auto meeting = meet(from, to);
  if (!meeting) return {};
  return meeting->is_only_route();
}

}  // namespace ringscope
