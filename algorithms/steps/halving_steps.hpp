// SPDX-License-Identifier: LGPL-2.1-or-later
// Recursive halving among 2^k ranks: in step s a rank and the one whose index differs in bit s hold
// the same span of chunks; they split it in two, and the one with the bit set keeps the upper half.
// Read backwards it is the recursive doubling of an allgather.
//
// So the largest messages go to the nearest index, which is often on the same host, and chunks end
// where the reversed bits of the index say. Both MPICH (allreduce_intra_reduce_scatter_allgather)
// and Open MPI (allreduce_intra_redscat_allgather) do it in this order.
#pragma once

namespace ringscope {

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
