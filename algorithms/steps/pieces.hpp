// SPDX-License-Identifier: LGPL-2.1-or-later
// All-to-all: chunk j of rank r's vector becomes piece r in rank j's scratch space. The pieces of a
// rank lie one after the other there, by the rank that they come from; a rank's own is copied.
#pragma once

#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {

/// Pieces that a rank receives: `size` items from each rank, from the front of scratch space on.
struct Pieces {
  Range scratch;
  std::size_t size = 0;

  Range operator[](int from) const {
    return {scratch.buffer, scratch.offset + times(from, size), size};
  }
};

/// Items of rank 0, whose pieces are the largest.
constexpr std::size_t pieces_items(int ranks, std::size_t items, Options) {
  return times(ranks, ring_chunk_items(ranks, items));
}

}  // namespace ringscope
