// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/ring_order.hpp"

#include <algorithm>
#include <bit>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <cassert>
#include <cstdint>
#include <set>

namespace ringscope {
namespace {

using Set = std::uint32_t;  // of places, one bit each

std::vector<double> sorted_costs(const PairCosts& costs) {
  std::set<double> all;
  for (const auto& row : costs) all.insert(row.begin(), row.end());
  return {all.begin(), all.end()};
}

/// The first of the sorted values for which `holds` is true; it holds for all behind it.
template <typename Holds>
std::optional<double> first_where(const std::vector<double>& values, Holds holds) {
  const auto found = std::partition_point(values.begin(), values.end(),
                                          [&](double value) { return !holds(value); });
  if (found == values.end()) return {};
  return *found;
}

/// A cycle through all places over pairs that cost at most `limit`; empty where there is none. Held
/// and Karp's dynamic programme over sets: which places can end a way that begins at place 0 and
/// visits exactly the set.
std::vector<int> cycle_within(const PairCosts& costs, double limit) {
  const int places = static_cast<int>(costs.size());
  Table<Set> before(costs.size());  // of each place: those that may stand before it
  for (std::size_t from = 0; from < costs.size(); ++from)
    for (std::size_t to = 0; to < costs.size(); ++to)
      if (from != to && costs[from][to] <= limit) before[to] |= Set{1} << from;
  const Set all = (Set{1} << places) - 1;
  Table<Set> ends(all + 1);
  ends[1] = 1;
  for (Set set = 3; set <= all; set += 2)
    for (int last = 1; last < places; ++last) {
      const Set bit = Set{1} << last;
      if ((set & bit) != 0 && (ends[set & ~bit] & before[last]) != 0) ends[set] |= bit;
    }
  Set candidates = places == 1 ? 1 : ends[all] & before[0];
  std::vector<int> order;
  for (Set set = all; candidates != 0;) {
    const int last = std::countr_zero(candidates);
    order.push_back(last);
    set &= ~(Set{1} << last);
    candidates = ends[set] & before[last];
    if (set == 0) break;
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace

RingOrder best_ring_order(const PairCosts& costs) {
  assert(!costs.empty() && costs.size() <= most_exact_places);
  const std::vector<double> values = sorted_costs(costs);
  const auto found =
      first_where(values, [&](double limit) { return !cycle_within(costs, limit).empty(); });
  assert(found && "all pairs together hold every cycle");
  RingOrder best{cycle_within(costs, *found), 0};
  for (std::size_t i = 0; i < best.order.size(); ++i) {
    const int from = best.order[i], to = best.order[(i + 1) % best.order.size()];
    if (costs.size() > 1) best.bottleneck = std::max(best.bottleneck, costs[from][to]);
  }
  return best;
}

std::optional<double> least_bottleneck(const PairCosts& costs, const std::vector<int>& room,
                                       int ranks) {
  using Pairs = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const auto has_room = [&](double limit) {
    Pairs pairs(costs.size());
    for (std::size_t from = 0; from < costs.size(); ++from)
      for (std::size_t to = 0; to < costs.size(); ++to)
        if (from != to && costs[from][to] <= limit) add_edge(from, to, pairs);
    std::vector<int> part(costs.size());
    const int parts = boost::strong_components(
        pairs, boost::make_iterator_property_map(part.begin(), get(boost::vertex_index, pairs)));
    Table<int> sum(parts);
    // A place whose own ranks are too slow for each other has one, unless a ring can come back.
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const bool alone = std::ranges::count(part, part[i]) == 1;
      const int most = alone && costs[i][i] > limit ? 1 : room[i];
      sum[part[i]] += std::min(room[i], most);
    }
    return std::ranges::any_of(sum, [&](int slots) { return slots >= ranks; });
  };
  return first_where(sorted_costs(costs), has_room);
}

}  // namespace ringscope
