// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/mapping/mapping.hpp"

#include <scotch.h>

#include "scenarios/answer/formats/messages.hpp"
#include "scenarios/question/estimate.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

constexpr double most_messages = 4e6;
constexpr double most_weight = 1e9;  // of all arcs: Scotch adds them up in 32 bits

/// Share by which a part may first be too large, and Scotch's strategy. None is the best of all: of
/// four halo exchanges of 1,024 to 1,728 ranks each but the last is the best of one at least.
struct Cutting {
  double tolerance;
  SCOTCH_Num strategy;
};
constexpr Cutting cuttings[] = {{0.05, SCOTCH_STRATBALANCE},
                                {0.01, SCOTCH_STRATBALANCE | SCOTCH_STRATRECURSIVE},
                                {0, SCOTCH_STRATBALANCE},
                                {0.02, SCOTCH_STRATDEFAULT}};

/// A value of Scotch, released at the end.
template <typename Kept, int (*begin)(Kept*), void (*end)(Kept*)>
struct Owned {
  Owned() { begin(&kept); }
  ~Owned() { end(&kept); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Kept kept;
};
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using Graph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Parts = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

/// Bytes between a rank and each other one, in both directions.
using Traffic = Table<std::map<int, double>>;

Traffic traffic_of(const Scenario& scenario) {
  const traces::Trace trace = messages_of(scenario);
  Traffic traffic(trace.ranks.size());
  for (int rank = 0; rank < std::ssize(trace.ranks); ++rank)
    for (const traces::Node& node : trace.ranks[rank])
      if (node.kind == traces::Node::Kind::send && node.peer != rank) {
        traffic[rank][node.peer] += static_cast<double>(node.items);
        traffic[node.peer][rank] += static_cast<double>(node.items);
      }
  double sum = 0;
  for (const auto& one : traffic)
    for (const auto& [peer, bytes] : one) sum += bytes;
  for (auto& one : traffic)
    for (auto& [peer, bytes] : one) bytes = std::max(1.0, bytes * (most_weight / 2) / sum);
  return traffic;
}

/// Some of the ranks as a graph in Scotch's arrays.
struct Arcs {
  Table<SCOTCH_Num> first, to, weight;
};

Arcs arcs_of(const Traffic& traffic, const std::vector<int>& ranks) {
  std::map<int, SCOTCH_Num> index;
  for (const int rank : ranks) index.emplace(rank, static_cast<SCOTCH_Num>(index.size()));
  Arcs arcs;
  arcs.first.push_back(0);
  for (const int rank : ranks) {
    for (const auto& [peer, bytes] : traffic[rank])
      if (const auto found = index.find(peer); found != index.end()) {
        arcs.to.push_back(found->second);
        arcs.weight.push_back(static_cast<SCOTCH_Num>(bytes));
      }
    arcs.first.push_back(static_cast<SCOTCH_Num>(arcs.to.size()));
  }
  return arcs;
}

/// Moves ranks out of parts that are too large, each time the one that loses least by it.
void keep_to_sizes(const Arcs& arcs, const std::vector<SCOTCH_Num>& sizes,
                   Table<SCOTCH_Num>& part) {
  Table<SCOTCH_Num> left(sizes);
  for (const SCOTCH_Num one : part) --left[one];
  for (int from = 0; from < std::ssize(left); ++from)
    while (left[from] < 0) {
      double best = -2 * most_weight;
      std::pair<int, int> move;
      for (int rank = 0; rank < std::ssize(part); ++rank) {
        if (part[rank] != from) continue;
        Table<double> bytes(sizes.size());
        for (SCOTCH_Num arc = arcs.first[rank]; arc < arcs.first[rank + 1]; ++arc)
          bytes[part[arcs.to[arc]]] += arcs.weight[arc];
        for (int to = 0; to < std::ssize(left); ++to)
          if (left[to] > 0 && bytes[to] - bytes[from] > best) {
            best = bytes[to] - bytes[from];
            move = {rank, to};
          }
      }
      part[move.first] = move.second;
      ++left[from];
      --left[move.second];
    }
}

/// The part of each rank; the i-th has sizes[i] of them.
Table<SCOTCH_Num> cut(const Traffic& traffic, const std::vector<int>& ranks,
                      const std::vector<SCOTCH_Num>& sizes, const Cutting& cutting) {
  const Arcs arcs = arcs_of(traffic, ranks);
  Context context;
  SCOTCH_contextOptionSetNum(&context.kept, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
  SCOTCH_contextThreadSpawn(&context.kept, 1, nullptr);
  SCOTCH_contextRandomSeed(&context.kept, 1);
  SCOTCH_contextRandomReset(&context.kept);
  Graph whole, graph;
  const auto count = static_cast<SCOTCH_Num>(ranks.size());
  SCOTCH_graphBuild(&whole.kept, 0, count, arcs.first.data(), nullptr, nullptr, nullptr,
                    static_cast<SCOTCH_Num>(arcs.to.size()), arcs.to.data(), arcs.weight.data());
  SCOTCH_contextBindGraph(&context.kept, &whole.kept, &graph.kept);
  Parts parts;
  const auto number = static_cast<SCOTCH_Num>(sizes.size());
  SCOTCH_archCmpltw(&parts.kept, number, sizes.data());
  Strategy strategy;
  SCOTCH_stratGraphMapBuild(&strategy.kept, cutting.strategy, number, cutting.tolerance);
  Table<SCOTCH_Num> part(ranks.size());
  if (SCOTCH_graphMap(&graph.kept, &parts.kept, &strategy.kept, part.data()) != 0)
    throw std::runtime_error("Scotch cannot cut the graph of ranks");
  keep_to_sizes(arcs, sizes, part);
  return part;
}

/// Deals out ranks to as many slots. `levels` tell the slots apart, one after the other: the widest
/// neighbourhoods, ..., hosts, bins.
void deal(const Traffic& traffic, const std::vector<int>& ranks, const std::vector<int>& slots,
          std::span<const Table<int>> levels, const Cutting& cutting, Assignment& assignment) {
  std::map<int, std::vector<int>> groups;
  for (const int slot : slots) groups[levels.front()[slot]].push_back(slot);
  std::vector<SCOTCH_Num> sizes;
  for (const auto& [group, in_it] : groups) sizes.push_back(static_cast<SCOTCH_Num>(in_it.size()));
  Table<SCOTCH_Num> part(ranks.size());
  if (sizes.size() > 1) part = cut(traffic, ranks, sizes, cutting);
  for (SCOTCH_Num next = 0; const auto& [group, in_it] : groups) {
    std::vector<int> its;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (part[i] == next) its.push_back(ranks[i]);
    if (levels.size() > 1)
      deal(traffic, its, in_it, levels.subspan(1), cutting, assignment);
    else
      for (const int rank : its) assignment[rank] = group;
    ++next;
  }
}

}  // namespace

std::vector<Assignment> mapped_assignments(const PlaceStudy& study, View<const Bin> bins,
                                           std::span<const Assignment> bases) {
  if (!study.moves_all() || study.rules.order != RankOrder::any) return {};
  if (estimate_of(study.scenario, false).messages > most_messages) return {};
  Traffic traffic;
  try {
    traffic = traffic_of(study.scenario);
  } catch (const InputError&) {
    return {};
  }
  const auto near = neighbourhoods(study.scenario.cluster.topology);
  std::vector<Assignment> mapped;
  for (const Assignment& base : bases) {
    std::vector<Table<int>> levels(near.size() + 2);
    for (const int bin : base) {
      const int host = bins[bin].host;
      for (std::size_t level = 0; level < near.size(); ++level)
        levels[near.size() - 1 - level].push_back(near[level][host]);
      levels[near.size()].push_back(host);
      levels.back().push_back(bin);
    }
    std::vector<int> all = numbers_below(base.size());
    for (const Cutting& cutting : cuttings) {
      mapped.push_back(base);
      deal(traffic, all, all, levels, cutting, mapped.back());
    }
  }
  return mapped;
}

}  // namespace ringscope
