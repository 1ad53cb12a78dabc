#include "topologies/graph/known_ways.hpp"

#include <algorithm>
#include <numeric>

#include "topologies/graph/ways.hpp"

namespace ringscope {

Surroundings::Surroundings(const Graph& graph, Vertex end)
    : graph_(&graph), host_(graph[end].host), frontier_{static_cast<std::uint32_t>(end)} {
  levels_.push_back({frontier_, {0, 0}, {}, out_degree(end, graph)});
}

int Surroundings::Level::find(Vertex component) const {
  const auto found = std::ranges::lower_bound(components, component);
  if (found == components.end() || *found != component) return -1;
  return static_cast<int>(found - components.begin());
}

const Surroundings::Level& Surroundings::level(std::size_t number) {
  while (levels_.size() <= number) advance();
  return levels_[number];
}

// As in a search between two hosts: a component of another host, another GPU, an NVSwitch, or a
// dead end is on no route.
bool Surroundings::may_enter(Vertex v) const {
  const Component& component = (*graph_)[v];
  if (component.host != host_ && component.host != -1) return false;
  if (component.kind == ComponentKind::gpu || component.kind == ComponentKind::nvswitch)
    return false;
  return out_degree(v, *graph_) > 1;
}

// Links have opposites: what is next to a level lies in it, or in the one before or behind it.
bool Surroundings::seen(Vertex v) const {
  const std::size_t count = levels_.size();
  return levels_[count - 1].find(v) >= 0 || (count > 1 && levels_[count - 2].find(v) >= 0);
}

void Surroundings::advance() {
  struct Step {
    std::uint32_t to;
    Arrival arrival;
  };
  std::vector<Step> steps;
  for (const std::uint32_t v : frontier_)
    for (const auto& edge : boost::make_iterator_range(out_edges(v, *graph_))) {
      const Vertex next = target(edge, *graph_);
      if (may_enter(next) && !seen(next))
        steps.push_back({static_cast<std::uint32_t>(next), {v, (*graph_)[edge].id}});
    }
  std::vector<std::uint32_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return steps[i].to; });
  Level level;
  std::vector<std::uint32_t> first_steps;
  for (const std::uint32_t i : order) {
    if (level.components.empty() || level.components.back() != steps[i].to) {
      level.components.push_back(steps[i].to);
      level.first.push_back(static_cast<std::uint32_t>(level.arrivals.size()));
      level.links += out_degree(steps[i].to, *graph_);
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

Surroundings& KnownWays::around(Vertex end) {
  return known_.try_emplace(end, *graph_, end).first->second;
}

const std::vector<Vertex>& KnownWays::doors(int host) {
  const auto [entry, is_new] = doors_.try_emplace(host);
  if (!is_new) return entry->second;
  const Host& inside = hosts_[static_cast<std::size_t>(host)];
  for (const auto* list : {&inside.numa_domains, &inside.gpus, &inside.nics, &inside.pcie_switches})
    for (const Vertex v : *list)
      for (const auto& edge : boost::make_iterator_range(out_edges(v, *graph_)))
        if (const Vertex next = target(edge, *graph_); (*graph_)[next].host != host)
          entry->second.push_back(next);
  return entry->second;
}

namespace {

/// The links of one way from level `number` back to the end, chosen by the random state.
std::vector<int> way_back(Surroundings& around, std::size_t number, Vertex v,
                          std::uint64_t& state) {
  std::vector<int> links;
  for (; number > 0; --number) {
    const Surroundings::Level& level = around.level(number);
    const auto index = static_cast<std::size_t>(level.find(v));
    const std::uint32_t begin = level.first[index], count = level.first[index + 1] - begin;
    const Surroundings::Arrival& arrival = level.arrivals[begin + next_random(state) % count];
    links.push_back(arrival.link);
    v = arrival.from;
  }
  return links;
}

}  // namespace

bool KnownWays::find(Vertex from, Vertex to, std::uint64_t flow, std::vector<int>& links) {
  constexpr std::size_t most_kept = 1 << 22;  // arrivals: some 64 MB
  const int hosts[] = {(*graph_)[from].host, (*graph_)[to].host};
  if (hosts[0] == hosts[1] || hosts[0] < 0 || hosts[1] < 0) return false;
  if (kept_ > most_kept) {
    known_.clear();
    kept_ = 0;
  }
  Surroundings* sides[] = {&around(from), &around(to)};
  const std::size_t before = sides[0]->size() + sides[1]->size();
  std::size_t reached[] = {0, 0};
  std::vector<std::uint32_t> meeting;
  while (meeting.empty()) {
    const auto work = [&](int side) { return sides[side]->level(reached[side]).links; };
    const int moving = work(0) <= work(1) ? 0 : 1, waiting = 1 - moving;
    const Surroundings::Level& here = sides[moving]->level(reached[moving]);
    if (std::ranges::any_of(doors(hosts[waiting]), [&](Vertex v) { return here.find(v) >= 0; }))
      return false;
    const Surroundings::Level& next = sides[moving]->level(++reached[moving]);
    if (next.components.empty()) return false;
    std::ranges::set_intersection(next.components,
                                  sides[waiting]->level(reached[waiting]).components,
                                  std::back_inserter(meeting));
  }
  kept_ += sides[0]->size() + sides[1]->size() - before;
  std::uint64_t state = seed_of(from, to, flow);
  const Vertex middle = meeting[next_random(state) % meeting.size()];
  links = way_back(*sides[0], reached[0], middle, state);
  std::ranges::reverse(links);
  for (const int id : way_back(*sides[1], reached[1], middle, state)) links.push_back(id ^ 1);
  return true;
}

}  // namespace ringscope
