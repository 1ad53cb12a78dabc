// Recursive halving among 2^k ranks, one chunk each: in step s the ranks that still share a span of
// chunks split it in two, and each keeps the half with its own chunk. Read backwards it is the
// recursive doubling of an allgather.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.5.
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
  const int half = size >> (step + 1);
  const int kept = index & ~(half - 1);
  return {.partner = index ^ half, .kept = kept, .given = kept ^ half, .count = half};
}

}  // namespace ringscope
