// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of the collectives: the vectors that ranks begin with, and every run of an
// algorithm that its test looks at.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <span>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/collectives.hpp"
#include "scripts/testing/sanitized.hpp"

namespace ringscope {

inline std::vector<float> vector_of(int rank, std::size_t items) {
  std::vector<float> vector(items);
  for (std::size_t i = 0; i < items; ++i) vector[i] = item_of(rank, i);
  return vector;
}

inline std::vector<float> sum_of_all(int ranks, std::size_t items) {
  std::vector<float> sum(items);
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < items; ++i) sum[i] += item_of(rank, i);
  return sum;
}

/// Chunk `index` of a vector cut into one for each of `ranks`.
inline std::vector<float> chunk_of(const std::vector<float>& vector, int index, int ranks) {
  const Range chunk = Chunks({.size = vector.size()}, ranks)[index];
  const auto begin = vector.begin() + static_cast<std::ptrdiff_t>(chunk.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(chunk.size)};
}

/// Where nothing has been promised there is nothing: NaN.
inline float held_item(Held held, int rank, std::size_t index, const Range& own, int root) {
  const bool there = held == Held::root     ? rank == root
                     : held == Held::chunks ? index >= own.offset && index < own.offset + own.size
                                            : true;
  return there ? item_of(rank, index) : std::numeric_limits<float>::quiet_NaN();
}

/// One run of an algorithm.
struct Outcome {
  int ranks = 0;
  std::size_t items = 0;
  Options options;
  LoopbackResult result;

  const std::vector<float>& data(int rank) const {
    return result.data[static_cast<std::size_t>(rank)];
  }
  std::vector<float> chunk(int index, int of_rank) const {
    return chunk_of(data(of_rank), index, ranks);
  }
};

/// Under the sanitizers each third number of ranks: Release runs all.
inline int ranks_apart() { return sanitized ? 3 : 1; }

/// Every number of ranks up to 17, each size and set of options; up to 9 ranks in each way to run,
/// more ranks in one of them by turns; and many ranks once. Ranks begin with what counts before the
/// collective, and no more.
template <typename Check>
void for_all_runs(const Algorithm& algorithm, Check check) {
  const auto run = [&](int ranks, std::size_t items, const Options& options,
                       const LoopbackOptions& how) {
    SCOPED_TRACE(testing::Message()
                 << "ranks " << ranks << ", items " << items << ", root " << options.root
                 << ", segment " << options.segment << ", rings " << options.rings << ", threads "
                 << options.threads << ", inside " << options.inside << ", synchronous "
                 << how.synchronous_sends << ", seed " << how.seed);
    const Chunks chunks({.size = items}, ranks);
    const Held before = collective_of(algorithm).before;
    const auto initial = [&](int rank, std::size_t index) {
      return held_item(before, rank, index, chunks[rank], options.root);
    };
    check(Outcome{ranks, items, options,
                  run_loopback(algorithm, ranks, items, options, initial, how)});
  };
  std::vector<LoopbackOptions> ways = ways_to_run(algorithm);
  for (int ranks = algorithm.least_ranks; ranks <= 17; ranks += ranks_apart()) {
    std::ranges::rotate(ways, ways.begin() + 1);
    for (std::size_t items : sizes_for(ranks))
      for (const Options& options : options_for(algorithm, ranks))
        for (const LoopbackOptions& how : std::span(ways).first(ranks <= 9 ? ways.size() : 1))
          run(ranks, items, options, how);
  }
  run(61, 61 * 5 + 3, {}, {});
}

}  // namespace ringscope
