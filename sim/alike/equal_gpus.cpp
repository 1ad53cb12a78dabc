// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/alike_ranks.hpp"

#include "scenarios/question/scenario.hpp"
#include "sim/alike/peer_map.hpp"

namespace ringscope::sim {
namespace {

/// Ranks GPU by GPU, of an allreduce between hosts by their switches whose blocks alone take time;
/// nothing of another job, or where hosts have not as many ranks, or one each.
std::optional<Orbits> gpu_by_gpu(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (job.rings == nullptr || job.algorithm->chosen == nullptr || depends_on_more(scenario))
    return {};
  const PlacedOptions options(job, scenario.placement);
  const auto& rails = (*options).given.by_host->rails;
  if (job.algorithm->chosen(options.ranks(), job.bytes.count, *options) != "channel_switch" ||
      rails.size() < 2 || rails.front()->size() < 2)
    return {};
  Table<int> order;
  for (const SharedRanks& rail : rails) order.insert(order.end(), rail->begin(), rail->end());
  return Orbits{.ranks = options.ranks(),
                .simulated = static_cast<int>(rails.front()->size()),
                .order = std::make_shared<const Table<int>>(std::move(order))};
}

/// Where resources come to when each rank moves to the next GPU.
struct Moved {
  bool move(const Uses& here, const Uses& there) {
    return std::ranges::equal(here, there, [this](const Use& use, const Use& other) {
      int& known = next.grown(use.resource, -1);
      if (known < 0) known = other.resource;
      const Resource &one = ledger->resource(use.resource), &moved = ledger->resource(known);
      return known == other.resource && use.weight == other.weight && one.kind == moved.kind &&
             one.capacity == moved.capacity;
    });
  }
  bool move(const Channel& channel, const Channel& other) {
    const PairRoute &here = channel.route(), &there = other.route();
    return here.choices.size() == 1 && there.choices.size() == 1 && here.way == there.way &&
           channel.latency() == other.latency() && here.wire_per_byte == there.wire_per_byte &&
           here.slices == there.slices && move(channel.wire(), other.wire()) &&
           move(here.nic, there.nic);
  }
  /// Null where some resource does not come back to itself after at most `moves` moves.
  std::shared_ptr<const CellLinks> parts(int moves) const {
    auto parts = std::make_shared<CellLinks>();
    parts->first = Table<int>(next.size(), -1);
    for (int first = 0; first < std::ssize(next); ++first) {
      if (next[first] < 0 || parts->first[first] >= 0) continue;
      int at = first, count = 0;
      for (; parts->first[at] < 0; at = next[at], ++count) {
        parts->first[at] = first;
        parts->names[first].push_back(ledger->resource(at).id.place);
      }
      if (count != moves || at != first) return nullptr;
    }
    return parts;
  }

  const Ledger* ledger;
  Table<int> next{};  ///< by resource; -1: not used
};

/// Resources that stand for others; null where what a rank does, or uses, does not move.
std::shared_ptr<const CellLinks> equal_parts(const Scenario& scenario, const Orbits& orbits) {
  const std::unique_ptr<Kernel> kernel = make_kernel("fluid");
  Ledger ledger(*kernel, scenario.speedup);
  Machine machine(scenario, ledger);
  Moved moved{&ledger};
  const auto next = [&](int rank) { return (rank + orbits.simulated) % orbits.ranks; };
  for (int rank = 0; rank < orbits.ranks; ++rank)
    if (!moved.move(machine.cpu(rank), machine.cpu(next(rank)))) return nullptr;
  const PlacedOptions options(scenario.job, scenario.placement);
  constexpr int every = 5;  // hosts of which one is compared: leaves of both trees are among them
  ScriptGroups groups;
  std::vector<ScriptLine> script, other;
  std::set<Pair> pairs;
  for (int rank = 0; rank < orbits.simulated; ++rank) {
    write_script(scenario.job, *options, orbits, rank, groups, false, script);
    if (rank % every == 0) {
      const int further = rank + orbits.simulated * (1 + rank % (orbits.size() - 1));
      write_script(scenario.job, *options, orbits, further, groups, false, other);
      if (other != script) return nullptr;
    }
    std::set<std::tuple<int, int, Switch>> known;
    for (const ScriptLine& line : script) {
      if (line.peer < 0 || !sends_to_peer(line.verb)) continue;
      int from = rank, to = (rank + line.peer) % orbits.ranks;
      // Inside a host all channels go the same way.
      const int channel = machine.hosts()[from] == machine.hosts()[to] ? 0 : line.block.channel;
      if (!known.emplace(line.peer, channel, line.block.by).second) continue;
      for (int times = 0; times < orbits.size(); ++times, from = next(from), to = next(to)) {
        pairs.insert({from, to});
        if (!moved.move(machine.channel(from, to, line.block),
                        machine.channel(next(from), next(to), line.block)))
          return nullptr;
      }
    }
  }
  const std::vector<Pair> all(pairs.begin(), pairs.end());
  return uncertain_routes(scenario, all).empty() ? moved.parts(orbits.size()) : nullptr;
}

}  // namespace

std::optional<Orbits> equal_gpus(const Scenario& asked) {
  std::optional<Orbits> orbits = gpu_by_gpu(asked);
  if (!orbits) return {};
  orbits->links = equal_parts(in_order(asked, *orbits), *orbits);
  return orbits->links == nullptr ? std::nullopt : orbits;
}

}  // namespace ringscope::sim
