// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/plain_assignments.hpp"

#include <random>

#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

constexpr int most_tries = 1000;

/// Not std::shuffle, which differs between libraries.
template <typename Item>
void shuffle(std::vector<Item>& items, std::mt19937_64& random) {
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1], items[random() % left]);
}

/// Hosts that are used, each with all its slots; the ranks may be left with too few slots.
Table<int> whole_hosts(const PlacementRules& rules, std::mt19937_64& random) {
  std::vector<int> hosts;
  for (std::size_t host = 0; host < rules.slots.size(); ++host)
    if (rules.slots[host] > 0) hosts.push_back(static_cast<int>(host));
  shuffle(hosts, random);
  Table<int> slots(rules.slots.size());
  int left = rules.ranks;
  for (const int host : hosts) {
    const int most = rules.slots[host];
    if (most > left) continue;
    slots[host] = most;
    left -= most;
  }
  return slots;
}

Assignment drawn(const Placements& placements, std::mt19937_64& random) {
  const PlacementRules& rules = placements.rules();
  Table<int> left = rules.whole_hosts ? whole_hosts(rules, random) : rules.slots;
  std::vector<int> bins;
  for (int bin = 0; bin < std::ssize(placements.bins()); ++bin)
    for (int i = 0; i < placements.bins()[bin].capacity; ++i) bins.push_back(bin);
  shuffle(bins, random);
  Assignment assignment;
  for (const int bin : bins) {
    int& slots = left[placements.bins()[bin].host];
    if (slots == 0 || static_cast<int>(assignment.size()) == rules.ranks) continue;
    --slots;
    assignment.push_back(bin);
  }
  return rules.order != RankOrder::any ? placements.grouped(assignment) : assignment;
}

/// Bins of near hosts one after the other, each host with up to room[host] ranks.
Assignment packed_near(const Placements& placements, const Table<Table<int>>& levels,
                       Table<int> room) {
  Table<int> capacity(room.size());
  const auto bins = placements.bins();
  for (const Bin& bin : bins) capacity[bin.host] += bin.capacity;
  for (std::size_t host = 0; host < room.size(); ++host)
    room[host] = std::min(room[host], capacity[host]);
  Assignment assignment;
  for (const int host : near_hosts(levels, room, placements.rules().ranks)) {
    int left = room[host];
    for (int bin = 0; bin < std::ssize(bins); ++bin) {
      if (bins[bin].host != host) continue;
      const int fill = std::min({bins[bin].capacity, left,
                                 placements.rules().ranks - static_cast<int>(assignment.size())});
      for (int i = 0; i < fill; ++i) assignment.push_back(bin);
      left -= fill;
    }
  }
  return assignment;
}

}  // namespace

std::vector<Assignment> simple_assignments(const Placements& placements) {
  Assignment packed, spread;
  const auto bins = placements.bins();
  const PlacementRules& rules = placements.rules();
  Table<int> left = rules.slots;
  for (int bin = 0; bin < static_cast<int>(bins.size()); ++bin) {
    int& slots = left[bins[bin].host];
    const int fill =
        std::min({bins[bin].capacity, slots, rules.ranks - static_cast<int>(packed.size())});
    for (int i = 0; i < fill; ++i) packed.push_back(bin);
    slots -= fill;
  }
  Table<int> room = each_of(bins, &Bin::capacity);
  left = rules.slots;
  for (bool more = true; more && static_cast<int>(spread.size()) < rules.ranks;) {
    more = false;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      int& slots = left[bins[bin].host];
      if (room[bin] == 0 || slots == 0 || static_cast<int>(spread.size()) == rules.ranks) continue;
      spread.push_back(static_cast<int>(bin));
      --room[bin];
      --slots;
      more = true;
    }
  }
  Assignment sorted = spread;
  std::ranges::sort(sorted);
  return {packed, spread, sorted};
}

std::vector<Assignment> near_assignments(const Placements& placements, const Topology& topology,
                                         const std::optional<Assignment>& own) {
  const auto levels = neighbourhoods(topology);
  if (levels.size() < 2) return {};
  std::vector<Assignment> result = {packed_near(placements, levels, placements.rules().slots)};
  if (!own) return result;
  Table<int> room(topology.hosts().size());
  for (const int bin : *own) ++room[placements.bins()[bin].host];
  result.push_back(packed_near(placements, levels, room));
  return result;
}

Assignment far_assignment(const Placements& placements, const Topology& topology) {
  const PlacementRules& rules = placements.rules();
  const auto bins = placements.bins();
  const Table<Table<int>> levels = neighbourhoods(topology);
  std::map<std::pair<std::size_t, int>, int> near;  // ranks in each neighbourhood of each level
  Table<int> on_host(rules.slots.size()), in_bin(bins.size());
  Assignment assignment;
  while (std::ssize(assignment) < rules.ranks) {
    std::pair<std::vector<int>, int> next;  // ranks near to it already, the bin
    for (int bin = 0; bin < std::ssize(bins); ++bin) {
      const int host = bins[bin].host;
      if (in_bin[bin] == bins[bin].capacity || on_host[host] == rules.slots[host]) continue;
      std::pair<std::vector<int>, int> here = {{}, bin};
      for (std::size_t level = levels.size(); level-- > 0;)
        here.first.push_back(near[{level, levels[level][host]}]);
      here.first.insert(here.first.end(), {on_host[host], in_bin[bin]});
      if (next.first.empty() || here < next) next = std::move(here);
    }
    if (next.first.empty()) return {};
    const int host = bins[next.second].host;
    for (std::size_t level = 0; level < levels.size(); ++level)
      ++near[{level, levels[level][host]}];
    ++on_host[host];
    ++in_bin[next.second];
    assignment.push_back(next.second);
  }
  return assignment;
}

std::vector<Assignment> random_assignments(const Placements& placements, std::size_t count,
                                           std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x5ca1ab1e0ddba11u);  // not the search's stream
  std::vector<Assignment> assignments;
  for (int trial = 0; assignments.size() < count && trial < most_tries;) {
    Assignment assignment = drawn(placements, random);
    trial = placements.allows(assignment) ? 0 : trial + 1;
    if (trial == 0) assignments.push_back(std::move(assignment));
  }
  return assignments;
}

}  // namespace ringscope
