// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairwise all-to-all: in step s each rank sends to the rank s above it and receives from the one s
// below it, so that in each step every rank has one partner in each direction.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.6. MPICH: alltoall_intra_pairwise. Open
// MPI: alltoall_intra_pairwise.
// Cost: P-1 steps, P(P-1) messages, (P-1)S items on the wire.
#include "algorithms/steps/pieces.hpp"

namespace ringscope {
namespace {

Task pairwise_alltoall(Communicator comm, Chunks chunk, Range scratch) {
  const int self = comm.rank(), size = comm.size();
  const Pieces piece = {scratch, chunk[self].size};

  co_await comm.copy(piece[self], chunk[self]);
  for (int step : comm.phase("exchange", size - 1)) {
    const int to = (self + step + 1) % size, from = (self + size - step - 1) % size;
    co_await comm.sendrecv(chunk[to], to, piece[from], from);
  }
}

}  // namespace

Algorithm describe_pairwise_alltoall() {
  return {
      .collective = "alltoall",
      .name = "pairwise",
      .summary = "one partner in each direction at a time",
      .run =
          [](Communicator comm, Workspace work, Options) {
            return pairwise_alltoall(comm, Chunks(work.data, comm.size()), work.scratch);
          },
      .cost = half_ring_cost,
      .scratch_items = pieces_items,
      .alike = always,
  };
}

}  // namespace ringscope
