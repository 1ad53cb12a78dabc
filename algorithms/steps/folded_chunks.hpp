// SPDX-License-Identifier: LGPL-2.1-or-later
// The chunks of a vector as the ranks of a fold hold them: who stands for two holds two. Neighbours
// in the fold hold neighbouring chunks, so a span of indices is a span of items.
//
// With it go recursive halving and doubling in the order of the chunks: the first halving is
// between the ranks farthest from each other, and each rank ends with the chunks of its own index
// (halving_step() has the other order).
#pragma once

#include "algorithms/steps/fold.hpp"

namespace ringscope {

class FoldedChunks {
 public:
  FoldedChunks(Chunks chunk, Fold fold) : chunk_(chunk), fold_(fold) {}

  /// Range of `count` indices from `first` on.
  Range span(int first, int count) const {
    const int begin = first_chunk(first);
    return chunk_.span(begin, first_chunk(first + count) - begin);
  }

 private:
  int first_chunk(int index) const { return index + std::min(index, fold_.pairs()); }

  Chunks chunk_;
  Fold fold_;
};

struct OrderedHalvingStep {
  int partner = 0;  ///< index of the rank that keeps what this one gives
  int kept = 0;     ///< first index of the half that this rank keeps
  int given = 0;    ///< first index of the half that its partner keeps
  int count = 0;    ///< indices in a half
};

/// Requires `size` a power of two, 0 <= index < size, 0 <= step < log2(size).
constexpr OrderedHalvingStep ordered_halving_step(int index, int size, int step) {
  const int count = size >> (step + 1), kept = index & ~(count - 1);
  return {.partner = index ^ count, .kept = kept, .given = kept ^ count, .count = count};
}

/// Cost of such halvings, or doublings, of an allgather or a reduce-scatter. Those who step aside
/// hand in, or get back, whole vectors one way and their own chunks the other.
inline Cost folded_chunks_cost(int ranks, std::size_t items, Options) {
  const Fold fold(ranks);
  const Chunks chunk({.size = items}, ranks);
  std::uint64_t own_chunks = 0;
  for (int pair = 0; pair < fold.pairs(); ++pair) own_chunks += chunk[2 * pair].size;
  return {.steps = fold.rounds() + (fold.pairs() > 0 ? 2 : 0),
          .messages = std::int64_t{fold.size()} * fold.rounds() + 2 * fold.pairs(),
          .items = static_cast<std::uint64_t>(fold.size() - 1 + fold.pairs()) * items + own_chunks};
}

// Recursive halving among 2^k ranks: in step s a rank and the one whose index differs in bit s hold
// the same span of chunks; they split it in two, and the one with the bit set keeps the upper half.
// Read backwards it is the recursive doubling of an allgather.
//
// So the largest messages go to the nearest index, which is often on the same host, and chunks end
// where the reversed bits of the index say. Both MPICH (allreduce_intra_reduce_scatter_allgather)
// and Open MPI (allreduce_intra_redscat_allgather) do it in this order.

struct HalvingStep {
  int partner = 0;  ///< index of the rank that keeps what this one gives
  int kept = 0;     ///< first chunk of the half that this rank keeps
  int given = 0;    ///< first chunk of the half that its partner keeps
  int count = 0;    ///< chunks in a half
};

/// Requires `size` a power of two, 0 <= index < size, 0 <= step < log2(size).
constexpr HalvingStep halving_step(int index, int size, int step) {
  HalvingStep at = {.partner = index ^ (1 << step), .count = size >> (step + 1)};
  for (int s = 0; s <= step; ++s)
    if ((index >> s & 1) != 0) at.kept += size >> (s + 1);
  at.given = at.kept ^ at.count;
  return at;
}

}  // namespace ringscope
