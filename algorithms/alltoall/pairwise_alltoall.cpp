// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairwise all-to-all: in step s each rank sends to the rank s above it and receives from the one s
// below it, so that in each step every rank has one partner in each direction.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.6. MPICH: alltoall_intra_pairwise. Open
// MPI: alltoall_intra_pairwise.
// Cost: P-1 steps, P(P-1) messages, (P-1)S items on the wire.
//
// Of sizes that differ a step takes as long as its largest message, so a rank to which much goes
// holds up all. Source: Open MPI: alltoallv_intra_pairwise; MPICH:
// alltoallv_intra_pairwise_sendrecv_replace. A message of no items is sent too.
// Cost: P-1 steps, P(P-1) messages; on the wire all but what each rank has for itself.
#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

/// `chunk`: what goes to each rank; `piece`: where what comes from each is put.
template <typename ChunkOf, typename PieceOf>
Task exchange_pairwise(Communicator comm, ChunkOf chunk, PieceOf piece) {
  const int self = comm.rank(), size = comm.size();

  co_await comm.copy(piece[self], chunk[self]);
  for (int step : comm.phase("exchange", size - 1)) {
    const int to = (self + step + 1) % size, from = (self + size - step - 1) % size;
    co_await comm.sendrecv(chunk[to], to, piece[from], from);
  }
}

Task pairwise_alltoall(Communicator comm, Chunks chunk, Range scratch) {
  return exchange_pairwise(comm, chunk, Pieces{scratch, chunk[comm.rank()].size});
}

}  // namespace

Algorithm describe_pairwise_alltoall() {
  return {
      .collective = "alltoall",
      .name = "pairwise",
      .summary = "one partner in each direction at a time",
      .run = on_chunks_and_scratch<pairwise_alltoall>,
      .cost = half_ring_cost,
      .scratch_items = pieces_items,
      .alike = always,
  };
}

Algorithm describe_pairwise_alltoallv() {
  return {
      .collective = "alltoallv",
      .name = "pairwise",
      .summary = "one partner in each direction at a time",
      .options = {"sizes"},
      .run = on_chunks_by_pair<exchange_pairwise<ChunksByPair, PiecesByPair>>,
      .cost = [](int ranks, std::size_t items,
                 Options options) { return pairs_by_size_cost(ranks, items, options, true); },
      .scratch_items = pieces_by_pair_items,
      .alike = [](int, std::size_t, const Options& options) { return options.sizes == nullptr; },
  };
}

}  // namespace ringscope
