// SPDX-License-Identifier: LGPL-2.1-or-later
// Schedule of a ring: which chunk a rank sends and which it receives, at which step of which phase,
// and what that costs. All rings of the catalogue share it; they differ in their verbs.
//
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", J. Parallel Distrib. Comput. 69 (2009). Open MPI: allreduce_intra_ring.
//
// Chunk indices are taken modulo the number of ranks (`Chunks`), so they may be negative here.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

struct RingStep {
  int sent = 0;
  int received = 0;
};

/// Rank `self` begins with its own chunk and passes on what it has just summed. After the last step
/// its chunk self + 1 holds the whole sum.
constexpr RingStep reduce_scatter_step(int self, int step) {
  return {.sent = self - step, .received = self - step - 1};
}

/// Rank `self` begins with the chunk that it summed last and passes on what it has just received.
constexpr RingStep allgather_step(int self, int step) {
  return {.sent = self - step + 1, .received = self - step};
}

/// With each chunk in `segments` messages: 2(P-1) steps per segment, in which each rank sends one
/// message; every item crosses P-1 links to be summed and P-1 to be spread.
constexpr Cost ring_cost(int ranks, std::size_t items, std::int64_t segments) {
  const std::int64_t steps = std::int64_t{2} * (ranks - 1) * segments;
  return {.steps = steps,
          .messages = ranks * steps,
          .items = 2 * static_cast<std::uint64_t>(ranks - 1) * items};
}

constexpr Cost ring_cost(int ranks, std::size_t items, Options) {
  return ring_cost(ranks, items, std::int64_t{1});
}

/// Half of that: each rank sends P-1 messages, one a step, and all but one chunk.
constexpr Cost half_ring_cost(int ranks, std::size_t items, Options) {
  const std::int64_t steps = ranks - 1;
  return {.steps = steps,
          .messages = ranks * steps,
          .items = static_cast<std::uint64_t>(steps) * items};
}

/// The largest chunk: what a rank receives in one step.
constexpr std::size_t ring_chunk_items(int ranks, std::size_t items) {
  return Range{.size = items}.part(0, ranks).size;
}

/// A ring of one rank receives nothing.
constexpr std::size_t ring_scratch_items(int ranks, std::size_t items, Options) {
  return ranks == 1 ? 0 : ring_chunk_items(ranks, items);
}

// All-to-all: chunk j of rank r's vector becomes piece r in rank j's scratch space. The pieces of a
// rank lie one after the other there, by the rank that they come from; a rank's own is copied.

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

// A vector cut into k parts, each of which goes round a ring of its own.

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
