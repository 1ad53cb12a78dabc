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

}  // namespace ringscope
