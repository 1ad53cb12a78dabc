// SPDX-License-Identifier: LGPL-2.1-or-later
// Course of a run from instant to instant, for a page that shows it. All times are seconds from the
// start of the repetition that the report tells of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/question/resource_id.hpp"

namespace ringscope {

/// Amount of a resource used by each instant: a piecewise linear curve.
struct LoadCurve {
  ResourceId id;
  ResourceKind kind{};
  double capacity = 0;  ///< units per second
  struct Point {
    double at = 0, used = 0;  ///< units since the start
  };
  std::vector<Point> points;  ///< by time; empty where it was never used
};

/// Ranks of which nobody can see who contributed: their holdings are numbers alone.
inline constexpr int many_ranks = 65;

/// Contributions that a rank holds of a chunk, summed in it. Where the chunk's items do not all
/// have the same, the number is their mean and the ranks are those that some item has.
struct Holding {
  double contributions = 0;
  std::vector<int> ranks;  ///< sorted; none told of many_ranks, nor what waits
  /// Data in scratch space, not yet part of the sum; none where there is nothing more.
  double waiting = 0;
  std::vector<int> waiting_ranks;
};

/// Change: from `at` on, `rank` holds `holding` of `chunk`.
struct ChunkChange {
  double at = 0;
  int rank = 0, chunk = 0;
  std::uint32_t holding = 0;  ///< index into ChunkHistory::holdings
};

struct ChunkHistory {
  int ranks = 0, chunks = 0;
  std::vector<Holding> holdings;           ///< each different one once; 0 is nothing
  std::vector<std::uint32_t> at_start;     ///< of rank r and chunk c at [r * chunks + c]
  std::vector<ChunkChange> changes;        ///< by time
  std::vector<std::uint64_t> chunk_items;  ///< of each chunk; some may be empty
};

struct Recording {
  std::vector<LoadCurve> loads;
  ChunkHistory chunks;    ///< no changes and no ranks where it is not known
  std::string no_chunks;  ///< why it is not; "" where it is
};

}  // namespace ringscope
