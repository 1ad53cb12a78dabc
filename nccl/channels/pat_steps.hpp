// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of PAT, parallel aggregated trees: each chunk takes a binomial tree of its own over the
// ranks behind its own, the farthest first, and all trees go at once. Nothing but log2 P steps,
// whose messages are the more the nearer they go.
//
// Source: Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale,
// 2025, arXiv:2506.20252; NCCL 2.23 and later. A Bruck allgather whose distances fall in place of
// rise.
#pragma once

#include <bit>
#include <vector>

namespace ringscope {

/// Number of distances 1, 2, 4, ... below `ranks`. Requires ranks >= 1.
constexpr int pat_steps(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

/// Distance of step 0, 1, ..., the farthest first.
constexpr int pat_distance(int ranks, int step) { return 1 << (pat_steps(ranks) - 1 - step); }

/// Distances behind this rank of those whose chunks go on by `distance`: they have come by greater
/// ones, and the rank to which they go lacks them.
inline std::vector<int> pat_offsets(int ranks, int distance) {
  std::vector<int> offsets;
  for (int offset = 0; offset + distance < ranks; offset += 2 * distance) offsets.push_back(offset);
  return offsets;
}

/// True if more comes to the sum of the chunk that is `offset` behind after the part from
/// `distance`, or if it stays.
constexpr bool pat_adds_to_more(int ranks, int offset, int distance) {
  const int sent_over = offset & -offset;
  return offset == 0 || (2 * distance < sent_over && offset + 2 * distance < ranks);
}

/// The rank `further` ones behind `rank`, or, below 0, before it, modulo `ranks`.
constexpr int rank_at(int rank, int further, int ranks) {
  return ((rank + further) % ranks + ranks) % ranks;
}

}  // namespace ringscope
