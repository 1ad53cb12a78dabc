// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests over the whole catalogue: every algorithm as a test parameter, data that show
// who sent them and from where, and the ways to run.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/loopback/loopback.hpp"

namespace ringscope {

inline void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.steps << " steps, " << cost.messages << " messages, " << cost.items << " items";
}
inline void PrintTo(const Algorithm& algorithm, std::ostream* out) {
  *out << algorithm.collective << ' ' << algorithm.name;
}

/// The algorithms of one collective, or of all.
inline std::vector<Algorithm> algorithms_of(std::string_view collective = "") {
  std::vector<Algorithm> chosen;
  for (const Algorithm& algorithm : catalogue())
    if (collective.empty() || algorithm.collective == collective) chosen.push_back(algorithm);
  return chosen;
}

inline std::string test_name(const testing::TestParamInfo<Algorithm>& info) {
  return std::string(info.param.collective) + "_" + std::string(info.param.name);
}

/// A small integer that differs per rank and index; sums over some 100 ranks are exact in float.
inline float item_of(int rank, std::size_t index) {
  return static_cast<float>((rank + 1) * 131 + static_cast<int>(index % 1000) * (rank + 3));
}

/// Empty, fewer items than ranks, as many, one more, uneven chunks.
inline std::vector<std::size_t> sizes_for(int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  return {0, 1, p - 1, p, p + 1, 3 * p + 2, 100};
}

/// Correct as long as sends are buffered: the mistake that it shows.
inline bool relies_on_buffering(const Algorithm& algorithm) {
  return algorithm.collective == "exchange" && algorithm.name == "head_to_head";
}

inline std::vector<LoopbackOptions> ways_to_run(const Algorithm& algorithm) {
  std::vector<LoopbackOptions> ways = {{}, {.seed = 7}};
  if (relies_on_buffering(algorithm)) return ways;
  ways.push_back({.synchronous_sends = true});
  ways.push_back({.synchronous_sends = true, .seed = 11});
  return ways;
}

/// Hosts of ranks: even, uneven, dealt round, and one for all.
inline std::vector<const std::vector<int>*> hosts_for_test() {
  constexpr int most = 64;
  static const std::array<std::vector<int>, 4> hosts = [] {
    std::array<std::vector<int>, 4> all;
    for (int rank = 0; rank < most; ++rank) {
      all[0].push_back(rank / 2);
      all[1].push_back(rank < 3 ? 7 : rank < 4 ? 2 : rank < 9 ? 5 : 1);
      all[2].push_back(rank % 3);
      all[3].push_back(0);
    }
    return all;
  }();
  return {&hosts[0], &hosts[1], &hosts[2], &hosts[3]};
}

/// True of algorithms whose ranks look at each other's hosts without an option that says so.
inline bool looks_at_hosts(const Algorithm& algorithm) {
  const std::set<std::string_view> names = {"leaders", "han", "open_mpi_5_0", "mpich_4"};
  return names.contains(algorithm.name);
}

/// Sizes by pair: one rank gets most, as a hot expert does; all differ, and some are none; one
/// alone sends, to one other.
inline std::vector<const PairSizes*> pair_sizes_for_test(int ranks) {
  static std::map<int, std::vector<PairSizes>> known;
  std::vector<PairSizes>& all = known[ranks];
  if (all.empty()) {
    const auto n = static_cast<std::size_t>(ranks);
    std::vector<double> hot(n, 1);
    hot[n / 2] = 5;
    std::vector<std::vector<double>> uneven(n, std::vector<double>(n)), one = uneven;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t j = 0; j < n; ++j)
        uneven[r][j] = static_cast<double>((1 + r * 7 + j * 3) % 4);
    one[0][n - 1] = 1;
    all = {PairSizes(hot), PairSizes(uneven), PairSizes(one)};
  }
  return {&all[0], &all[1], &all[2]};
}

/// The defaults, and each option of the algorithm in turn.
inline std::vector<Options> options_for(const Algorithm& algorithm, int ranks) {
  std::vector<Options> all = {{}};
  for (std::string_view option : algorithm.options) {
    // The others are of its allreduce, which is tested by itself.
    if (algorithm.collective == "training" && option != "steps" && option != "servers") continue;
    if (option == "segment")
      for (std::size_t segment : {1u, 2u, 3u, 7u}) all.push_back({.segment = segment});
    if (option == "rounds")
      for (int rounds : {2, 5}) all.push_back({.rounds = rounds});
    if (option == "compute") all.push_back({.compute = Duration(1)});
    if (option == "steps") all.push_back({.segment = 5, .steps = 3});
    if (option == "bound") all.push_back({.steps = 3, .bound = 1});
    if (option == "servers")
      for (int servers : std::set<int>{2, ranks / 2, ranks - 1})
        if (servers > 0 && servers < ranks)
          all.push_back({.segment = 3, .servers = servers, .steps = 2});
    if (option == "threads")
      for (int threads : {2, 3}) all.push_back({.threads = threads});
    if (option == "channels")
      for (const auto* hosts : hosts_for_test())
        for (const std::size_t cell : {16384u, 8u})
          all.push_back(
              {.protocol = "LL", .channels = 3, .given = {.item_bytes = cell, .hosts = hosts}});
    if (option == "sms") all.push_back({.channels = 5, .sms = 2, .given = {.item_bytes = 16384}});
    if (option == "rings")
      for (int rings : {2, 3})
        for (const auto* hosts : hosts_for_test())
          all.push_back({.rings = rings, .given = {.hosts = hosts}});
    if (option == "sizes")
      for (const PairSizes* sizes : pair_sizes_for_test(ranks)) all.push_back({.sizes = sizes});
    if (option == "inside")
      for (const auto* hosts : hosts_for_test())
        for (std::string_view inside : {"ring", "recursive_doubling", "double_binary_tree"})
          all.push_back({.segment = 5,
                         .inside = inside,
                         .between = "rabenseifner",
                         .given = {.hosts = hosts}});
    if (option == "root")
      for (int root : std::set<int>{1, ranks / 2, ranks - 1})
        if (root > 0 && root < ranks) all.push_back({.segment = 3, .root = root});
  }
  if (looks_at_hosts(algorithm))
    for (const auto* hosts : hosts_for_test())
      for (const std::size_t segment : {3u, 65536u})
        for (const int root : std::set<int>{0, ranks - 1})
          all.push_back({.segment = segment,
                         .root = root,
                         .between = "rabenseifner",
                         .number_bytes = segment == 3 ? 1u : 4u,
                         .given = {.hosts = hosts}});
  return all;
}

}  // namespace ringscope
