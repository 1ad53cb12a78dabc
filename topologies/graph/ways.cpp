// The search for a route, from both ends at once.
//
// Invariants: a Search has reached exactly the components within `level_` links of its end, and
// knows every link by which a fewest-links way comes to them. The two searches advance level by
// level until they touch; then every fewest-links route passes exactly one component that is in the
// newest level of both. On trees and fat trees that looks at few components, whatever their number.
#include "topologies/graph/ways.hpp"

#include <algorithm>
#include <unordered_map>

namespace ringscope {

// One step of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t seed_of(Vertex from, Vertex to, std::uint64_t flow) {
  std::uint64_t state = from;
  state = next_random(state) ^ to;
  state = next_random(state) ^ flow;
  return next_random(state);
}

namespace {

class Search {
 public:
  Search(const Graph& graph, Vertex end, Vertex other_end, Fabric fabric)
      : graph_(graph),
        hosts_{graph[end].host, graph[other_end].host},
        other_end_(other_end),
        fabric_(fabric) {
    reached_[end] = {};
    frontier_ = {end};
  }

  const std::vector<Vertex>& frontier() const { return frontier_; }
  bool has_reached(Vertex v) const { return reached_.contains(v); }

  /// Number of links that advance() would look at.
  std::size_t work() const {
    std::size_t links = 0;
    for (const Vertex v : frontier_) links += out_degree(v, graph_);
    return links;
  }

  void advance() {
    ++level_;
    std::vector<Vertex> next;
    for (const Vertex v : frontier_) {
      for (const auto& edge : boost::make_iterator_range(out_edges(v, graph_))) {
        const Vertex neighbour = target(edge, graph_);
        if (!may_enter(neighbour)) continue;
        const auto [entry, is_new] = reached_.try_emplace(neighbour, Reached{level_, {}});
        if (entry->second.level != level_) continue;
        entry->second.arrivals.push_back({v, graph_[edge].id});
        if (is_new) next.push_back(neighbour);
      }
    }
    frontier_ = std::move(next);
  }

  /// The links of one way from the end to `v`, from `v` backwards, chosen by the random state.
  std::vector<int> way_back(Vertex v, std::uint64_t& state) const {
    std::vector<int> links;
    while (true) {
      const auto& arrivals = reached_.at(v).arrivals;
      if (arrivals.empty()) return links;
      const Arrival& arrival = arrivals[next_random(state) % arrivals.size()];
      links.push_back(arrival.link);
      v = arrival.from;
    }
  }

  bool has_one_way_back(Vertex v) const {
    while (true) {
      const auto& arrivals = reached_.at(v).arrivals;
      if (arrivals.size() != 1) return arrivals.empty();
      v = arrivals.front().from;
    }
  }

 private:
  struct Arrival {
    Vertex from;
    int link;
  };
  struct Reached {
    int level = 0;
    std::vector<Arrival> arrivals;
  };

  /// A component of a third host, a third GPU, or a dead end is on no route; what lies outside is
  /// on none inside a host.
  bool may_enter(Vertex v) const {
    const int host = graph_[v].host;
    if (host != hosts_[0] && host != hosts_[1] && (host != -1 || hosts_[0] == hosts_[1]))
      return false;
    if (v == other_end_) return true;
    const ComponentKind kind = graph_[v].kind;
    if (kind == ComponentKind::gpu) return false;
    if ((kind == ComponentKind::nvswitch) != (fabric_ == Fabric::nvlink)) return false;
    return out_degree(v, graph_) > 1;
  }

  const Graph& graph_;
  int hosts_[2];
  Vertex other_end_;
  Fabric fabric_;
  int level_ = 0;
  std::vector<Vertex> frontier_;
  std::unordered_map<Vertex, Reached> reached_;
};

/// The components where the two searches touch, in ascending order.
std::vector<Vertex> meet(Search& forward, Search& backward) {
  std::vector<Vertex> meeting;
  while (meeting.empty()) {
    const bool go_forward = forward.work() <= backward.work();
    Search& moving = go_forward ? forward : backward;
    const Search& waiting = go_forward ? backward : forward;
    moving.advance();
    if (moving.frontier().empty()) return {};
    std::ranges::copy_if(moving.frontier(), std::back_inserter(meeting),
                         [&](Vertex v) { return waiting.has_reached(v); });
  }
  std::ranges::sort(meeting);
  return meeting;
}

}  // namespace

std::vector<int> find_way(const Graph& graph, Vertex from, Vertex to, std::uint64_t flow,
                          Fabric fabric) {
  Search forward(graph, from, to, fabric), backward(graph, to, from, fabric);
  const std::vector<Vertex> meeting = meet(forward, backward);
  if (meeting.empty()) return {};
  std::uint64_t state = seed_of(from, to, flow);
  const Vertex middle = meeting[next_random(state) % meeting.size()];
  std::vector<int> links = forward.way_back(middle, state);
  std::ranges::reverse(links);
  for (const int id : backward.way_back(middle, state)) links.push_back(id ^ 1);
  return links;
}

bool is_only_way(const Graph& graph, Vertex from, Vertex to, Fabric fabric) {
  Search forward(graph, from, to, fabric), backward(graph, to, from, fabric);
  const std::vector<Vertex> meeting = meet(forward, backward);
  if (meeting.empty()) return true;
  return meeting.size() == 1 && forward.has_one_way_back(meeting.front()) &&
         backward.has_one_way_back(meeting.front());
}

}  // namespace ringscope
