// What the tests over the whole catalogue share: every algorithm as a test parameter, data that
// show who sent them and from where, and the ways to run.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "algorithms/loopback.hpp"

namespace ringscope {

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

/// Messages of several ranks, or of several threads, are under way to one port at once: which of
/// them comes first, and so the number of steps, goes by the order in which ranks run. Such an
/// algorithm declares the steps of ranks that keep pace.
inline bool steps_go_by_order(const Algorithm& algorithm) {
  const std::set<std::pair<std::string_view, std::string_view>> such = {
      {"alltoall", "posted"},        {"allreduce", "double_binary_tree"},
      {"allreduce", "two_level"},    {"allreduce", "parallel_rings"},
      {"allreduce", "ring_threads"}, {"allreduce", "nccl"}};
  return such.contains({algorithm.collective, algorithm.name});
}

inline std::vector<LoopbackOptions> ways_to_run(const Algorithm& algorithm) {
  std::vector<LoopbackOptions> ways = {{}, {.seed = 7}};
  if (relies_on_buffering(algorithm)) return ways;
  ways.push_back({.synchronous_sends = true});
  ways.push_back({.synchronous_sends = true, .seed = 11});
  return ways;
}

/// The defaults, and each option of the algorithm in turn.
inline std::vector<Options> options_for(const Algorithm& algorithm, int ranks) {
  std::vector<Options> all = {{}};
  for (std::string_view option : algorithm.options) {
    if (option == "segment")
      for (std::size_t segment : {1u, 2u, 3u, 7u}) all.push_back({.segment = segment});
    if (option == "rounds")
      for (int rounds : {2, 5}) all.push_back({.rounds = rounds});
    if (option == "compute") all.push_back({.compute = Duration(1)});
    if (option == "root")
      for (int root : std::set<int>{1, ranks / 2, ranks - 1})
        if (root > 0 && root < ranks) all.push_back({.segment = 3, .root = root});
  }
  return all;
}

}  // namespace ringscope
