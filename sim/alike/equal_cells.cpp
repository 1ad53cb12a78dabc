#include "sim/alike/equal_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/machine/homes.hpp"

namespace ringscope::sim {
namespace {

/// Ways that are looked at before a proof is given up.
constexpr std::size_t most_ways = 4'000'000;

/// Ways between ranks as the fabric takes them.
class Ways {
 public:
  explicit Ways(const Scenario& scenario) : scenario_(&scenario), homes_(scenario) {}

  /// Links of all legs, one behind the other, and the latency.
  struct Way {
    std::vector<int> links;
    double latency = 0;
  };

  std::size_t count(int from, int to) const {
    return homes_.of(from).size() * homes_.of(to).size();
  }
  Way way(int from, int to, std::size_t which) const {
    const auto &sources = homes_.of(from), &targets = homes_.of(to);
    const auto flow =
        static_cast<std::uint64_t>(from) * homes_.ranks() + static_cast<std::uint64_t>(to);
    const Journey journey =
        homes_.journey(sources[which / targets.size()], targets[which % targets.size()], flow);
    Way way;
    way.latency = journey.latency.count();
    for (const Route& leg : journey.legs)
      way.links.insert(way.links.end(), leg.links.begin(), leg.links.end());
    return way;
  }
  bool is_between_switches(int link) const {
    const Graph& graph = topology().graph();
    return graph[topology().source_of(link)].host < 0 && graph[topology().target_of(link)].host < 0;
  }
  const Topology& topology() const { return scenario_->cluster.topology; }

 private:
  const Scenario* scenario_;
  Homes homes_;
};

/// Where links come to when all ranks move to the next cell.
class Moves {
 public:
  Moves(const Topology& topology, int cells)
      : topology_(&topology),
        next_(static_cast<std::size_t>(topology.link_count()), -1),
        before_(next_),
        cell_(next_),
        cells_(cells) {}

  /// A link of a way comes to that of the moved one; false where that cannot be.
  bool move(int link, int to) {
    const Link &one = topology_->link(link), &other = topology_->link(to);
    const bool equal = one.bandwidth.bytes_per_second == other.bandwidth.bytes_per_second &&
                       one.latency == other.latency &&
                       one.both.bytes_per_second == other.both.bytes_per_second;
    return equal && is(next_, link, to) && is(before_, to, link);
  }
  /// A link between switches is that cell's.
  bool belongs(int link, int cell) { return is(cell_, link, cell); }

  /// Links of the first cell, with those of the others.
  std::shared_ptr<const CellLinks> owned() const {
    auto links = std::make_shared<CellLinks>();
    for (int link = 0; link < topology_->link_count(); ++link) {
      if (cell_[static_cast<std::size_t>(link)] != 0) continue;
      std::vector<std::string>& names = links->names[link];
      int at = link;
      for (int cell = 0; cell < cells_; ++cell, at = next_[static_cast<std::size_t>(at)])
        names.push_back(topology_->link(at).name);
    }
    return links;
  }

 private:
  static bool is(std::vector<int>& of, int link, int value) {
    int& known = of[static_cast<std::size_t>(link)];
    if (known < 0) known = value;
    return known == value;
  }

  const Topology* topology_;
  std::vector<int> next_, before_;  ///< by link; -1: not known
  std::vector<int> cell_;           ///< of links between switches
  int cells_;
};

/// Links on the first half of a way from switch to switch are the sender's cell's, those on the
/// second half the receiver's.
bool divide(const Ways& ways, const std::vector<int>& links, std::pair<int, int> cells,
            Moves& moves) {
  std::vector<int> between;
  for (const int link : links)
    if (ways.is_between_switches(link)) between.push_back(link);
  const auto [from, to] = cells;
  if (from != to && between.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < between.size(); ++i)
    if (!moves.belongs(between[i], 2 * i < between.size() ? from : to)) return false;
  return true;
}

/// Ways that are not those of Ways, or that share what is no link.
std::string unlike_by_routes(const Scenario& scenario) {
  if (scenario.job.rings != nullptr || scenario.job.groups != nullptr)
    return "NCCL's rings go over a network of several switches";
  for (const Location& where : scenario.placement.ranks)
    if (where.nics == NicChoice::all) return "ranks use all NICs of their hosts";
  const Topology& topology = scenario.cluster.topology;
  if (topology.routing() != Routing::hash) return "switches choose routes by their load";
  for (int link = 0; link < topology.link_count(); ++link)
    if (!topology.link(link).both.is_unlimited())
      return fmt::format("both directions share '{}'", topology.link(link).name);
  return "";
}

}  // namespace

int ranks_of_cell(const Scenario& scenario, int n) {
  const auto ranks = static_cast<int>(scenario.placement.ranks.size());
  const Ways ways(scenario);
  std::vector<double> latencies;
  for (int rank = 0; rank < ranks; rank += n)
    latencies.push_back(ways.way(rank, (rank + n) % ranks, 0).latency);
  const std::size_t hosts = latencies.size();
  for (std::size_t cell = 1; cell < hosts; ++cell)
    if (hosts % cell == 0 && std::equal(latencies.begin() + static_cast<std::ptrdiff_t>(cell),
                                        latencies.end(), latencies.begin()))
      return static_cast<int>(cell) * n;
  return ranks;
}

EqualCells equal_cells(const Scenario& scenario, const Orbits& orbits, const Distances& pairs) {
  const Ways ways(scenario);
  const int n = orbits.simulated, cells = orbits.size();
  Moves moves(ways.topology(), cells);
  const auto unless = [&](const std::string& what, int from, int to) {
    return EqualCells{{},
                      fmt::format("messages from rank {} to {}, as to the next hosts' ones, {}",
                                  orbits.number(from), orbits.number(to), what)};
  };
  if (std::string reason = unlike_by_routes(scenario); !reason.empty()) return {{}, reason};
  if (pairs.size() * static_cast<std::size_t>(cells) > most_ways)
    return {{}, "too many ranks talk over a network of several switches"};
  bool any = false;
  for (const auto& [pair, sends] : pairs)
    for (int cell = 0; cell < cells; ++cell) {
      const int from = pair.first + cell * n, to = (from + pair.second) % orbits.ranks;
      const int next_from = (from + n) % orbits.ranks, next_to = (to + n) % orbits.ranks;
      for (std::size_t i = 0; i < ways.count(from, to); ++i) {
        const Ways::Way here = ways.way(from, to, i), there = ways.way(next_from, next_to, i);
        if (here.latency != there.latency || here.links.size() != there.links.size())
          return unless("are not as far", from, to);
        if (!sends) continue;
        for (std::size_t link = 0; link < here.links.size(); ++link) {
          any = any || ways.is_between_switches(here.links[link]);
          if (!moves.move(here.links[link], there.links[link]))
            return unless("go by other links, or share them with others", from, to);
        }
        if (!divide(ways, here.links, {from / n, to / n}, moves))
          return unless("have no half of the way each", from, to);
      }
    }
  return {any ? moves.owned() : nullptr, ""};
}

}  // namespace ringscope::sim
