// SPDX-License-Identifier: LGPL-2.1-or-later
// Bruck's all-to-all: the block that is to go d ranks up travels the bits of d, one in each step.
// A rank holds in slot d the block that has still to go the bits of d from the current one on.
//
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby 1997, section 3.
#pragma once

namespace ringscope {

/// The rank that the block in `slot` of rank `self` is for, when steps 0..step-1 are over.
/// Requires 0 <= self, slot < ranks.
constexpr int bruck_destination(int self, int slot, int step, int ranks) {
  return (self + (slot >> step << step)) % ranks;
}

/// True if the block in `slot` travels in `step`.
constexpr bool bruck_travels(int slot, int step) { return (slot >> step & 1) != 0; }

/// Number of blocks, of `ranks`, that travel in `step`.
constexpr int bruck_blocks(int ranks, int step) {
  const int period = 2 << step, rest = ranks % period - (1 << step);
  return ranks / period * (1 << step) + (rest > 0 ? rest : 0);
}

}  // namespace ringscope
