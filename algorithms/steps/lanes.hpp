// SPDX-License-Identifier: LGPL-2.1-or-later
// A vector cut into k parts, each of which goes round a ring of its own.
#pragma once

#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {

/// Data of one of the rings: its part in chunks, and the slot where it receives one.
struct Lane {
  Chunks chunk;
  Range slot;
};

/// Lane `i` of `lanes`; the slots lie one after the other in scratch space.
inline Lane lane_of(Range data, Range scratch, int ranks, int i, int lanes) {
  std::size_t offset = 0;
  for (int before = 0; before < i; ++before)
    offset += ring_chunk_items(ranks, data.part(before, lanes).size);
  const Range part = data.part(i, lanes);
  const std::size_t size = ranks == 1 ? 0 : ring_chunk_items(ranks, part.size);
  return {Chunks(part, ranks), {scratch.buffer, ranks == 1 ? 0 : scratch.offset + offset, size}};
}

/// A slot for the largest chunk of each lane.
inline std::size_t lanes_scratch_items(int ranks, std::size_t items, int lanes) {
  if (ranks == 1) return 0;
  std::size_t sum = 0;
  for (int i = 0; i < lanes; ++i)
    sum += ring_chunk_items(ranks, Range{.size = items}.part(i, lanes).size);
  return sum;
}

}  // namespace ringscope
