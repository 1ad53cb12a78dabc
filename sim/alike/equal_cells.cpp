// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/equal_hosts.hpp"

#include <fmt/format.h>

namespace ringscope::sim {
namespace {

/// Pairs of ranks, of all cells, after which a proof is given up.
constexpr std::ptrdiff_t most_pairs = 4'000'000;

/// Routes of messages as the fabric takes them, which draws among equal ones by both ranks.
std::vector<Route> routes_of_messages(const Scenario& scenario,
                                      const BufferLocations& buffer_locations, Pair ranks) {
  const auto flow = static_cast<std::uint64_t>(ranks.first) * buffer_locations.ranks() +
                    static_cast<std::uint64_t>(ranks.second);
  return routes_of(scenario, buffer_locations, ranks, flow);
}

bool is_between_switches(const Topology& topology, int link) {
  const Graph& graph = topology.graph();
  return graph[topology.source_of(link)].host < 0 && graph[topology.target_of(link)].host < 0;
}

/// Where links come to when all ranks move to the next cell.
class Moves {
 public:
  Moves(const Topology& topology, int cells)
      : topology_(&topology),
        next_(topology.link_count(), -1),
        before_(next_),
        cell_(next_),
        cells_(cells) {}

  /// A link of a route comes to that of the moved one; false where that cannot be.
  bool move(int link, int to) {
    return properties_of(topology_->link(link)) == properties_of(topology_->link(to)) &&
           is(next_, link, to) && is(before_, to, link);
  }
  /// A link between switches is that cell's.
  bool belongs(int link, int cell) { return is(cell_, link, cell); }

  /// Links of the first cell, with those of the others; null where it has none.
  std::shared_ptr<const CellLinks> owned() const {
    auto links = std::make_shared<CellLinks>();
    for (int link = 0; link < topology_->link_count(); ++link) {
      if (cell_[link] != 0) continue;
      std::vector<std::string>& names = links->names[link];
      int at = link;
      for (int cell = 0; cell < cells_; ++cell, at = next_[at])
        names.push_back(topology_->link(at).name);
    }
    return links->names.empty() ? nullptr : links;
  }

 private:
  static bool is(Table<int>& of, int link, int value) {
    int& known = of[link];
    if (known < 0) known = value;
    return known == value;
  }

  const Topology* topology_;
  Table<int> next_, before_;  ///< by link; -1: not known
  Table<int> cell_;           ///< of links between switches
  int cells_;
};

/// Links on the first half of a route from switch to switch are the sender's cell's, those on the
/// second half the receiver's.
bool divide(const Topology& topology, const Route& route, Pair cells, Moves& moves) {
  std::vector<int> between;
  for (const int link : route.links)
    if (is_between_switches(topology, link)) between.push_back(link);
  const auto [from, to] = cells;
  if (from != to && between.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < between.size(); ++i)
    if (!moves.belongs(between[i], 2 * i < between.size() ? from : to)) return false;
  return true;
}

/// Why routes, and those of the pair in the next cell, do not move as one; "" where they do.
std::string unlike_routes(const Topology& topology, std::span<const Route> here,
                          std::span<const Route> there, bool sends, Pair cells, Moves& moves) {
  if (here.size() != there.size()) return "are not as far";
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::vector<int>&links = here[i].links, &others = there[i].links;
    if (here[i].latency != there[i].latency || links.size() != others.size())
      return "are not as far";
    if (!sends) continue;
    for (std::size_t link = 0; link < links.size(); ++link)
      if (!moves.move(links[link], others[link]))
        return "go by other links, or share them with others";
    if (!divide(topology, here[i], cells, moves)) return "have no half of the way each";
  }
  return "";
}

/// Reason that messages take other routes, or use something else than links in common.
std::string unlike_by_routes(const Scenario& scenario) {
  if (scenario.job.rings != nullptr || scenario.job.groups != nullptr)
    return "NCCL's rings go over a network of several switches";
  for (const Location& where : scenario.placement.ranks)
    if (where.nics != NicChoice::nearest) return "ranks use other NICs than the nearest";
  const Topology& topology = scenario.cluster.topology;
  if (topology.routing() != Routing::hash) return "switches choose routes by their load";
  for (int link = 0; link < topology.link_count(); ++link)
    if (!topology.link(link).both.is_unlimited())
      return fmt::format("both directions share '{}'", topology.link(link).name);
  return "";
}

using Members = std::vector<int>;

/// The group of these ranks, in any order; -1: none is known.
int group_of(const std::map<Members, int>& groups, Members ranks) {
  std::ranges::sort(ranks);
  const auto found = groups.find(ranks);
  return found == groups.end() ? -1 : found->second;
}

}  // namespace

int ranks_of_cell(const Scenario& scenario, int n) {
  const auto ranks = static_cast<int>(scenario.placement.ranks.size());
  const BufferLocations buffer_locations(scenario);
  std::vector<double> latencies;
  for (int rank = 0; rank < ranks; rank += n)
    latencies.push_back(routes_of_messages(scenario, buffer_locations, {rank, (rank + n) % ranks})
                            .front()
                            .latency.count());
  const std::size_t hosts = latencies.size();
  for (std::size_t cell = 1; cell < hosts; ++cell)
    if (hosts % cell == 0 && std::equal(latencies.begin() + static_cast<std::ptrdiff_t>(cell),
                                        latencies.end(), latencies.begin()))
      return static_cast<int>(cell) * n;
  return ranks;
}

EqualCells equal_cells(const Scenario& scenario, const Orbits& orbits, const Distances& pairs) {
  if (std::string reason = unlike_by_routes(scenario); !reason.empty()) return {{}, reason};
  const int n = orbits.simulated, cells = orbits.size();
  if (std::ssize(pairs) * cells > most_pairs)
    return {{}, "too many ranks talk over a network of several switches"};
  const Topology& topology = scenario.cluster.topology;
  const BufferLocations buffer_locations(scenario);
  Moves moves(topology, cells);
  for (const auto& [pair, sends] : pairs) {
    const auto moved = [&, rank = pair.first, distance = pair.second](int times) {
      const int from = (rank + times * n) % orbits.ranks;
      return Pair{from, (from + distance) % orbits.ranks};
    };
    std::vector<Route> here = routes_of_messages(scenario, buffer_locations, moved(0));
    for (int cell = 0; cell < cells; ++cell) {
      const auto [from, to] = moved(cell);
      std::vector<Route> there = routes_of_messages(scenario, buffer_locations, moved(cell + 1));
      const std::string unlike =
          unlike_routes(topology, here, there, sends, {from / n, to / n}, moves);
      if (!unlike.empty())
        return {{},
                fmt::format("messages from rank {} to {}, as to the next hosts' ones, {}",
                            orbits.number(from), orbits.number(to), unlike)};
      here = std::move(there);
    }
  }
  return {moves.owned(), ""};
}

std::string unequal_groups(const NcclGroups& groups, const Orbits& orbits) {
  const View<const KnownGroup> all = groups.known.all();
  std::map<Members, int> by_members;
  for (int i = 0; i < std::ssize(all); ++i) {
    Members members = all[i].ranks;
    std::ranges::sort(members);
    by_members.emplace(std::move(members), i);
  }
  const auto next = [&](int rank) { return (rank + orbits.simulated) % orbits.ranks; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    Members moved = all[i].ranks;
    std::ranges::transform(moved, moved.begin(), next);
    const int other = group_of(by_members, moved);
    if (other < 0) return "groups of ranks, moved on, are no groups";
    const auto& there = all[static_cast<std::size_t>(other)].ranks;
    const auto &nics = groups.found[i]->nics, &moved_nics = groups.found[other]->nics;
    if (nics.size() != moved_nics.size()) return "NCCL's rings of groups are not as many";
    for (std::size_t place = 0; place < moved.size(); ++place) {
      const auto at = std::ranges::find(there, moved[place]) - there.begin();
      for (std::size_t channel = 0; channel < nics.size(); ++channel)
        if (nics[channel][place] != moved_nics[channel][at])
          return "NCCL's rings leave the hosts by different NICs";
    }
  }
  return "";
}

std::shared_ptr<const NcclGroups> renumbered(const NcclGroups& groups, const Orbits& orbits) {
  auto others = std::make_shared<NcclGroups>(groups);
  others->known = groups.known.renumbered(*orbits.places);
  return others;
}

}  // namespace ringscope::sim
