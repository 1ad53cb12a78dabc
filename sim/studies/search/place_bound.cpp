// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/place_points.hpp"

#include "algorithms/collectives.hpp"
#include "sim/alike/equal_hosts.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_bins = 256;

Vertex vertex_of(const Topology& topology, const Bin& bin) {
  const Host& host = topology.hosts()[bin.host];
  return bin.gpu >= 0 ? host.gpus[bin.gpu] : host.numa_domains[bin.numa];
}

/// Cost by links alone, where the way goes through the network or between GPUs. Nothing where the
/// switches may take a wider way than the hash.
double wire_cost(const Topology& topology, Vertex from, Vertex to) {
  const bool leaves = topology.graph()[from].host != topology.graph()[to].host;
  if (leaves && topology.routing() != Routing::hash) return 0;
  double cost = 0;
  for (const Route& leg : topology.staged_route(from, to).legs)
    if (!leg.bandwidth.is_unlimited()) cost = std::max(cost, 1 / leg.bandwidth.bytes_per_second);
  return cost;
}

/// Cost by the cores of both ends, where the ranks' own move the bytes.
double core_cost(const Transport& transport) {
  if (transport.driver == Driver::nic) return 0;
  const double send = transport.driver == Driver::caller ? transport.send_cost.seconds_per_byte : 0;
  return std::max(send, transport.recv_cost.seconds_per_byte);
}

/// Whole hosts that are equal part by part.
bool are_equal(const Topology& topology, std::span<const Bin> bins) {
  Placement all;
  for (const Bin& bin : bins)
    for (int i = 0; i < bin.capacity; ++i)
      all.ranks.push_back({.host = bin.host, .numa = bin.numa, .gpu = bin.gpu});
  const int each = sim::ranks_per_host(all);
  return sim::unequal_places(all, each).empty() &&
         sim::unequal_hosts(topology, all, each, true).empty();
}

bool has_one_thread(const Job& job) { return threads_of(*job.algorithm, job.options) == 1; }

}  // namespace

PairCosts pair_costs(const PlaceStudy& study, std::span<const Bin> bins) {
  const Topology& topology = study.scenario.cluster.topology;
  const Library& library = study.scenario.library;
  const bool gpus = study.slot_kind == SlotKind::gpu;
  PairCosts costs(bins.size(), std::vector<double>(bins.size()));
  for (std::size_t a = 0; a < bins.size(); ++a) {
    for (std::size_t b = 0; b < bins.size(); ++b) {
      const bool one_host = bins[a].host == bins[b].host;
      double& cost = costs[a][b];
      if (!one_host || gpus)
        cost = wire_cost(topology, vertex_of(topology, bins[a]), vertex_of(topology, bins[b]));
      if (!gpus && has_one_thread(study.scenario.job))
        cost = std::max(cost, core_cost(library.transport(one_host ? Way::shm : Way::network)));
    }
  }
  return costs;
}

std::optional<double> bound_of_rings(const PlaceStudy& study, std::span<const Bin> bins) {
  const Job& job = study.scenario.job;
  const auto ranks = static_cast<std::uint64_t>(study.rules.ranks);
  if (!study.moves_all() || !goes_round(study.scenario) || bins.size() > most_bins || ranks < 2 ||
      job.overlap || study.scenario.placement.ranks.front().nics != NicChoice::nearest)
    return {};
  Table<int> room;
  for (const Bin& bin : bins) room.push_back(std::min(bin.capacity, study.rules.slots[bin.host]));
  const auto slowest = least_bottleneck(pair_costs(study, bins), room, study.rules.ranks);
  if (!slowest) return {};
  // Every chunk but one passes between two neighbours, as often as the collective has it; chunks
  // are at least this large.
  const auto passes = static_cast<std::uint64_t>(collective_of(*job.algorithm).passes);
  const std::uint64_t bytes = passes * (ranks - 1) * (job.bytes.count / ranks);
  return static_cast<double>(bytes) * *slowest;
}

std::optional<double> time_of_free_links(const PlaceStudy& study, std::span<const Bin> bins,
                                         const Assignment& allowed, Evaluator& evaluator) {
  if (!study.rules.whole_hosts || study.objective != Objective::time ||
      !study.scenario.neighbours.empty() || !are_equal(study.scenario.cluster.topology, bins))
    return {};
  const auto orders = study.tried();
  const auto outcomes = evaluator.evaluate_beside(orders.size(), [&](std::size_t index,
                                                                     KnownParts& known) {
    const PlaceStudy& order = orders[index];
    Scenario scenario = placed_scenario(order, placement_of(order, bins, allowed), "", known);
    scenario.speedup.free_links = true;
    lay_over(scenario.resolved, "free_links", Value::scalar_at(scenario.resolved.place(), "true"));
    return scenario;
  });
  std::optional<double> least;
  for (const std::optional<Outcome>& outcome : outcomes) {
    if (!outcome || !outcome->error.empty()) return {};
    least = std::min(least.value_or(outcome->time_s), outcome->time_s);
  }
  return least;
}

std::optional<Assignment> best_order(const PlaceStudy& study, std::span<const Bin> bins,
                                     const Assignment& own) {
  if (!study.moves_all() || own.size() > most_exact_places || bins.size() > most_bins) return {};
  const PairCosts all = pair_costs(study, bins);
  PairCosts costs(own.size(), std::vector<double>(own.size()));
  for (std::size_t a = 0; a < own.size(); ++a)
    for (std::size_t b = 0; b < own.size(); ++b) costs[a][b] = all[own[a]][own[b]];
  Assignment assignment;
  for (const int rank : best_ring_order(costs).order) assignment.push_back(own[rank]);
  return assignment;
}

}  // namespace ringscope
