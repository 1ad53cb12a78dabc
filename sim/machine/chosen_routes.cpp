// SPDX-License-Identifier: LGPL-2.1-or-later
// Routes by which switches that follow the load, or spread it, may send a message.

#include "sim/machine/machine.hpp"
#include "topologies/graph/splitmix.hpp"

namespace ringscope::sim {
namespace {

constexpr std::size_t most_choices = 16;  ///< of each kind: switches have some 64 ports
constexpr std::uint64_t most_draws = 64;
/// Costs that differ by less are equal on paper: rounding must not choose.
constexpr double equal_within = 1e-9;

bool uses_resource(const Uses& uses, int resource) {
  return std::ranges::any_of(uses, [&](const Use& use) { return use.resource == resource; });
}

/// Resources that all choices share have no part in choosing.
void find_own(PairRoute::Choices& choices) {
  for (ChosenRoute& chosen : choices)
    for (const Use& use : chosen.wire)
      if (!std::ranges::all_of(choices, [&](const ChosenRoute& other) {
            return uses_resource(other.wire, use.resource);
          }))
        chosen.own.push_back(use.resource);
}

/// Waypoints of groups that the hash's route does not meet.
std::vector<Vertex> detours(const Topology& topology, Vertex from, Vertex to) {
  std::set<Vertex> met;
  for (const int id : topology.route(from, to).links) met.insert(topology.target_of(id));
  std::set<int> groups;
  for (const Waypoint& one : topology.waypoints())
    if (met.contains(one.where)) groups.insert(one.group);
  std::vector<Vertex> others;
  for (const Waypoint& one : topology.waypoints())
    if (!groups.contains(one.group)) others.push_back(one.where);
  return others;
}

}  // namespace

// Shortest routes, the hash's first, unless Valiant's routing takes none; then detours, where the
// routing takes them. Ways are drawn by a hash: of more than `most_choices` those that it draws.
PairRoute::Choices Machine::choices(const Ends& ends, bool engines,
                                    const Fabric::RouteUses& hashed) const {
  const int from = ends.from, to = ends.to;
  const Topology& topology = scenario_->cluster.topology;
  const Routing routing = topology.routing();
  const bool inside = location(from).host == location(to).host;
  PairRoute::Choices found, only;
  only.push_back({hashed.uses, hashed.latency * scenario_->speedup.latencies(!inside), {}});
  if (routing == Routing::hash || inside) return only;
  const auto add = [&](const RouteChoice& choice) {
    const Fabric::RouteUses route = striped_uses(ends, from, to, engines, choice);
    ChosenRoute chosen{route.uses, route.latency * scenario_->speedup.latencies(true), {}};
    if (std::ranges::find(found, chosen) == found.end()) found.push_back(std::move(chosen));
  };
  if (routing != Routing::valiant)
    for (std::uint64_t draw = 0; draw < most_draws && found.size() < most_choices; ++draw)
      add({draw, {}});
  const auto waypoints = takes_detours(routing) ? detours(topology, domain_of(from), domain_of(to))
                                                : std::vector<Vertex>{};
  const std::size_t most = found.size() + most_choices;
  if (!waypoints.empty())
    for (std::uint64_t draw = 1; draw <= most_draws && found.size() < most; ++draw) {
      const std::uint64_t random =
          random_of({draw, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
      add({draw, {waypoints[random % waypoints.size()]}});
    }
  if (found.empty() || (found.size() == 1 && routing != Routing::valiant)) return only;
  find_own(found);
  return found;
}

// Valiant's are taken in turn, as drawn. Otherwise a way's cost is the time that a byte takes on
// its busiest link, shared with those that are there, times its length: UGAL's product of queue and
// hops. Of equal ones the first, a shortest.
void Machine::choose_route(Channel& channel) const {
  const auto& choices = channel.route_.choices;
  channel.choose(choices[channel.turn_++ % choices.size()]);
  if (scenario_->cluster.topology.routing() == Routing::valiant) return;
  double least = std::numeric_limits<double>::infinity();
  for (const ChosenRoute& chosen : choices) {
    double cost = 0;
    for (const int id : chosen.own)
      cost = std::max(cost, (1 + ledger_->users(id)) / ledger_->resource(id).capacity);
    cost *= static_cast<double>(chosen.wire.size());
    if (cost >= least * (1 - equal_within)) continue;
    least = cost;
    channel.choose(chosen);
  }
}

void Machine::rewind() {
  for (auto& [ends, channel] : channels_) {
    channel.turn_ = 0;
    channel.choose(channel.route_.choices.front());
  }
}

}  // namespace ringscope::sim
