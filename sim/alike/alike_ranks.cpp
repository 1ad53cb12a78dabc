// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/alike_ranks.hpp"

#include <fmt/format.h>

#include "algorithms/training/llm/llm_parts.hpp"
#include "algorithms/training/training.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/alike/peer_map.hpp"
#include "sim/alike/script.hpp"
#include "sim/machine/machine.hpp"

namespace ringscope::sim {
namespace {

bool has_several_switches(const Topology& topology) {
  const Graph& graph = topology.graph();
  int switches = 0;
  for (Vertex v = 0; v < graph.size(); ++v) switches += graph[v].host < 0 ? 1 : 0;
  return switches > 1;
}

bool has_shared_cables(const Topology& topology) {
  for (int id = 0; id < topology.link_count(); ++id)
    if (!topology.link(id).both.is_unlimited()) return true;
  return false;
}

// A control message waits behind the bytes that its host holds. Where what sends and what receives
// share a part of the host, that depends on which comes first.
std::string unlike_by_queues(const Scenario& scenario) {
  const Transport& network = scenario.library.transport(Way::network);
  if (network.buffer.count == 0 || network.driver != Driver::caller) return "";
  const bool on_gpus = std::ranges::any_of(scenario.placement.ranks,
                                           [](const Location& where) { return where.gpu >= 0; });
  if (on_gpus || has_shared_cables(scenario.cluster.topology))
    return "messages wait behind buffered bytes where both directions share a part of a host";
  return "";
}

// A rank takes messages of one instant in the order of the numbers of their senders, which moves do
// not keep. They come at one instant where sends cost their rank no time, and it is felt where a
// message costs its receiver some: by the transport of each, which is another between GPUs.
std::string unlike_by_ties(const Scenario& scenario, const Orbits& orbits,
                           const Distances& distances) {
  const Library& library = scenario.library;
  const auto& ranks = scenario.placement.ranks;
  Table<int> senders(orbits.simulated);
  for (const auto& [pair, sends] : distances) {
    const int rank = pair.first, peer = (rank + pair.second) % orbits.ranks;
    if (!sends || peer < orbits.simulated) continue;
    const Way way = way_between_hosts(scenario.cluster.topology, ranks[rank], ranks[peer]);
    const Transport& transport = library.transport(way);
    const bool is_felt = !transport.recv_overhead.is_zero() || library.match_cost > Seconds(0);
    if (transport.send_overhead.is_zero() && is_felt && ++senders[rank] > 1)
      return "messages of several hosts come at one instant, since 'send_overhead' is 0";
  }
  return "";
}

std::string unlike_detours(const Topology& topology) {
  return takes_detours(topology.routing()) ? "messages take detours" : "";
}

/// NICs of the job's rings are those of the ranks `moved` further on.
bool nics_move(const nccl::JobChannels& rings, int moved) {
  return std::ranges::all_of(rings.nics, [moved](const auto& nics) {
    for (int rank = 0; rank < std::ssize(nics); ++rank)
      if (nics[rank] != nics[(rank + moved) % std::ssize(nics)]) return false;
    return true;
  });
}

/// The rings of a search may use other NICs at the next host.
std::string unlike_nics(const Scenario& scenario, const Orbits& orbits) {
  const auto& rings = scenario.job.rings;
  if (scenario.job.groups != nullptr) return unequal_groups(*scenario.job.groups, orbits);
  if (rings == nullptr) return "";
  if (orbits.order != nullptr) return "NCCL's rings are of ranks as they are numbered";
  return nics_move(*rings, orbits.simulated) ? ""
                                             : "NCCL's rings leave the hosts by different NICs";
}

/// Ranks that move at once where `n` do but for the NICs: every other host swaps NCCL's rings of a
/// pair (nccl/search/job_channels.cpp).
int with_nics(const Scenario& scenario, int n) {
  const auto& rings = scenario.job.rings;
  const auto ranks = static_cast<int>(scenario.placement.ranks.size());
  if (rings == nullptr || ranks % (2 * n) != 0 || ranks == 2 * n) return n;
  return !nics_move(*rings, n) && nics_move(*rings, 2 * n) ? 2 * n : n;
}

/// The job as its algorithm sees it, on ranks as orbits number them.
struct Program {
  Program(const Scenario& scenario, const Orbits& numbered)
      : job(&scenario.job), orbits(numbered), options(scenario.job, scenario.placement) {}

  bool declared_alike() const {
    const Property alike = job->algorithm->alike;
    const auto items = static_cast<std::size_t>(job->bytes.count);
    return alike != nullptr && alike(orbits.ranks, items, *options);
  }
  void script(int rank, std::vector<ScriptLine>& room) const {
    write_script(*job, *options, orbits, rank, groups, false, room);
  }

  const Job* job;
  Orbits orbits;
  PlacedOptions options;
  mutable ScriptGroups groups;
};

std::string unlike_lines(int rank, int other) {
  return fmt::format(
      "rank {} does not do what rank {} does, moved on: chunks of one size need "
      "'job.bytes', or each exchange, to be a multiple of the ranks",
      other, rank);
}

/// A ring waits for itself: what one rank is late by goes round, and does not add up. Elsewhere a
/// byte can break the step in which all are, and take a third of the time more.
bool goes_round(const Job& job, int ranks, const Options& placed) {
  if (job.training == nullptr) {
    const auto chosen = job.algorithm->chosen;
    const auto sum = static_cast<std::size_t>(job.bytes.count);
    return job.algorithm->ring ||
           (chosen ? chosen(ranks, sum, placed) : job.algorithm->name) == "channel_rings";
  }
  const bool llm = job.training->llm != nullptr;
  const Algorithm* exchange = llm ? job.training->llm->exchange : job.training->exchange;
  if (exchange == nullptr || exchange->ring) return true;
  if (!llm || job.options.given.groups == nullptr || exchange->chosen == nullptr) return false;
  const Options options = options_of_group(job.options, "data");
  const auto items = static_cast<std::size_t>(job.bytes.count);
  return exchange->chosen(ranks_of_data(*job.training->llm), items, options) == "channel_rings";
}

/// Compares the programs of the first ranks, moved so often, with their own. Adds to `peers`.
Alike compared(const Scenario& scenario, const Program& program, const std::vector<int>& moves,
               bool uneven, PeerMap& peers) {
  const Orbits& orbits = program.orbits;
  Alike result{orbits, "", 0};
  try {
    std::vector<ScriptLine> script, theirs;
    for (int rank = 0; rank < orbits.simulated; ++rank) {
      program.script(rank, script);
      peers.add(rank, script);
      for (const int move : moves) {
        const int other = move * orbits.simulated + rank;
        program.script(other, theirs);
        if (theirs == script) continue;
        const auto share = uneven ? unevenness(scenario, script, theirs) : std::nullopt;
        if (!share) return {{}, unlike_lines(orbits.number(rank), orbits.number(other)), 0};
        result.uneven = std::max(result.uneven, *share);
      }
    }
  } catch (const NoScript& why) {
    return {{}, why.what(), 0};
  }
  return result;
}

/// Why the routes of messages of each host's first rank are uncertain, which few scripts tell; ""
/// where they are not, or where there is no script.
std::string uncertain_at_first(const Scenario& scenario, const Orbits& orbits) {
  const auto host = [&](int rank) { return scenario.placement.ranks[rank].host; };
  const Program program(scenario, orbits);
  std::vector<ScriptLine> script;
  try {
    for (int rank = 0; rank < orbits.simulated; ++rank) {
      if (rank > 0 && host(rank) == host(rank - 1)) continue;
      PeerMap peers(orbits);
      program.script(rank, script);
      peers.add(rank, script);
      if (std::string reason = uncertain_routes(scenario, peers.pairs()); !reason.empty())
        return reason;
    }
  } catch (const NoScript&) {
  }
  return "";
}

/// Once, as often as half of all, and to the last ones.
std::vector<int> some_of(int moves) {
  std::vector<int> some = {1};
  if (moves > 3) some.push_back(moves / 2);
  if (moves > 2) some.push_back(moves - 1);
  return some;
}

Placement placed_in_order(const Placement& placement, const Orbits& orbits) {
  Placement placed = placement;
  for (int rank = 0; orbits.order != nullptr && rank < orbits.ranks; ++rank)
    placed.ranks[rank] = placement.ranks[orbits.number(rank)];
  return placed;
}

std::string unmoved_replicas(const Orbits& orbits) {
  if (orbits.order == nullptr || orbits.folded()) return "";
  return "no replicas of the model have separate hosts";
}

/// Numbers ranks as the algorithm says, and moves as few of them at once as come to other hosts:
/// where none do, all are one orbit each.
Orbits orbits_of(const Scenario& scenario) {
  const int ranks = static_cast<int>(scenario.placement.ranks.size());
  const Algorithm& algorithm = *scenario.job.algorithm;
  if (algorithm.alike_order == nullptr) {
    const int each = ranks_per_host(scenario.placement);
    const bool several = has_several_switches(scenario.cluster.topology) && each < ranks &&
                         unequal_places(scenario.placement, each).empty();
    const int of_cell = several ? ranks_of_cell(scenario, each) : each;
    return {ranks, with_nics(scenario, of_cell < ranks ? of_cell : each)};
  }
  AlikeOrder order = algorithm.alike_order(ranks, scenario.job.options);
  Table<int> places(order.ranks.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[order.ranks[i]] = static_cast<int>(i);
  Orbits orbits{ranks, ranks, std::make_shared<const Table<int>>(std::move(order.ranks)),
                std::make_shared<const Table<int>>(std::move(places))};
  const Placement placed = placed_in_order(scenario.placement, orbits);
  for (int n = order.step; n < ranks; n += order.step)
    if (ranks % n == 0 && unequal_places(placed, n).empty()) {
      orbits.simulated = n;
      break;
    }
  return orbits;
}

}  // namespace

std::string unlike_by_chance(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (job.skew.count() > 0) return "'skew' lets ranks start at different times";
  if (job.noise.spread > 0 || job.noise.detours.any()) return "'noise' is each rank's own";
  if (job.draws_times()) return "the times of batches ('input') are each rank's own";
  if (job.noise.has_stragglers()) return "some ranks are stragglers";
  if (scenario.library.has_jitter()) return "the library's messages have 'jitter'";
  if (!scenario.neighbours.empty()) return "other jobs run concurrently";
  if (!scenario.speedup.resource.empty()) return "one resource is faster than it is";
  if (scenario.storage.host >= 0) return "files lie on one host";
  return "";
}

Scenario in_order(const Scenario& asked, const Orbits& orbits) {
  Scenario scenario = asked;
  if (orbits.order == nullptr) return scenario;
  scenario.placement = placed_in_order(asked.placement, orbits);
  if (orbits.places == nullptr) {  // of rings; their orders stay as they were
    auto rings = std::make_shared<nccl::JobChannels>(*asked.job.rings);
    for (std::size_t channel = 0; channel < rings->nics.size(); ++channel)
      for (int rank = 0; auto& nics : rings->nics[channel])
        nics = asked.job.rings->nics[channel][orbits.number(rank++)];
    scenario.job.rings = std::move(rings);
  }
  if (asked.job.groups == nullptr) return scenario;
  scenario.job.groups = renumbered(*asked.job.groups, orbits);
  scenario.job.options.given.groups = &scenario.job.groups->known;
  return scenario;
}

std::string unlike_programs(const Scenario& asked) {
  const Orbits orbits = orbits_of(asked);
  const Scenario scenario = in_order(asked, orbits);
  Table<int> moves(orbits.size() - 1);
  std::iota(moves.begin(), moves.end(), 1);
  PeerMap peers(orbits);
  return compared(scenario, Program(scenario, orbits), moves, false, peers).reason;
}

Alike alike_ranks(const Scenario& asked, bool uneven) {
  const auto unless = [](std::string reason) { return Alike{{}, std::move(reason), 0}; };
  if (std::string reason = unlike_by_chance(asked); !reason.empty()) return unless(reason);
  const Orbits orbits = orbits_of(asked);
  const Scenario scenario = in_order(asked, orbits);
  const Placement& placement = scenario.placement;
  const Topology& topology = scenario.cluster.topology;
  const bool several = has_several_switches(topology);
  const bool cells =
      several && orbits.order == nullptr && orbits.simulated > ranks_per_host(placement);
  const bool looks_first = several && !cells;
  const std::function<std::string()> conditions[] = {
      [&] { return unmoved_replicas(orbits); },
      [&] { return unequal_places(placement, orbits.simulated); },
      [&] { return unequal_hosts(topology, placement, orbits.simulated, cells); },
      [&] { return unlike_by_queues(scenario); },
      [&] { return unlike_nics(scenario, orbits); },
      [&] { return unlike_detours(topology); },
      [&] { return looks_first ? uncertain_at_first(scenario, orbits) : ""; }};
  for (const auto& condition : conditions)
    if (std::string reason = condition(); !reason.empty()) return unless(std::move(reason));
  const Program program(scenario, orbits);
  if (!program.declared_alike())
    return unless(fmt::format("{} {} is not the same for all ranks",
                              scenario.job.algorithm->collective, scenario.job.algorithm->name));
  PeerMap peers(orbits);
  Alike alike = compared(scenario, program, some_of(orbits.size()),
                         uneven && goes_round(scenario.job, orbits.ranks, *program.options), peers);
  if (!alike.orbits) return alike;
  if (std::string reason = unlike_by_ties(scenario, orbits, peers.distances()); !reason.empty())
    return unless(std::move(reason));
  std::vector<Pair> pairs = peers.pairs();
  if (cells) {
    EqualCells equal = equal_cells(scenario, orbits, peers.distances());
    if (!equal.reason.empty()) return unless(std::move(equal.reason));
    alike.orbits->links = std::move(equal.links);
    const auto host = [&](int rank) { return placement.ranks[rank].host; };
    std::erase_if(pairs, [&](const Pair& pair) { return host(pair.first) != host(pair.second); });
  }
  std::string reason = uncertain_routes(scenario, pairs);
  return reason.empty() ? alike : unless(std::move(reason));
}

}  // namespace ringscope::sim
