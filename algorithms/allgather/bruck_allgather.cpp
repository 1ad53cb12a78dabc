// SPDX-License-Identifier: LGPL-2.1-or-later
// Bruck's allgather: in step s each rank sends the first 2^s chunks that it has, its own first, to
// the rank 2^s below it; for any number of ranks. The chunks are collected in scratch space in the
// order that begins with a rank's own, and copied in the end.
//
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE Trans. Parallel Distrib. Syst. 8
// (1997). MPICH: allgather_intra_brucks. Open MPI: allgather_intra_bruck.
// Cost: ceil(log2 P) steps, P ceil(log2 P) messages, (P-1)S items on the wire.
#include "algorithms/steps/rotation.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task bruck_allgather(Communicator comm, Chunks chunk, Range scratch) {
  const int self = comm.rank(), size = comm.size();
  if (size == 1) co_return;
  const Rotation held(scratch, chunk, self);

  co_await comm.copy(held.span(0, 1), chunk[self]);
  for (int step : comm.phase("allgather", doublings(size))) {
    const int distance = 1 << step, count = std::min(distance, size - distance);
    const int below = (self + size - distance) % size, above = (self + distance) % size;
    co_await comm.sendrecv(held.span(0, count), below, held.span(distance, count), above);
  }
  const int others = size - self - 1;
  co_await comm.copy(chunk.span(self + 1, others), held.span(1, others));
  co_await comm.copy(chunk.span(0, self), held.span(1 + others, self));
}

}  // namespace

Algorithm describe_bruck_allgather() {
  return {
      .collective = "allgather",
      .name = "bruck",
      .summary = "each rank's data doubles in each of log2 P steps, for any P",
      .run = on_chunks_and_scratch<bruck_allgather>,
      .cost =
          [](int ranks, std::size_t items, Options) {
            const std::int64_t steps = doublings(ranks);
            return Cost{steps, ranks * steps, static_cast<std::uint64_t>(ranks - 1) * items};
          },
      .scratch_items = scratch_of_several,
  };
}

}  // namespace ringscope
