// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairwise all-to-all of sizes that differ: in step s each rank sends to the rank s above it and
// receives from the one s below it. A step takes as long as its largest message, so a rank to which
// much goes holds up all.
//
// Source: Open MPI: alltoallv_intra_pairwise; MPICH: alltoallv_intra_pairwise_sendrecv_replace. A
// message of no items is sent too.
// Cost: P-1 steps, P(P-1) messages; on the wire all but what each rank has for itself.
#include "algorithms/alltoall/pair_sizes.hpp"

namespace ringscope {
namespace {

Task pairwise_alltoallv(Communicator comm, ChunksByPair chunk, PiecesByPair piece) {
  const int self = comm.rank(), size = comm.size();

  co_await comm.copy(piece[self], chunk[self]);
  for (int step : comm.phase("exchange", size - 1)) {
    const int to = (self + step + 1) % size, from = (self + size - step - 1) % size;
    co_await comm.sendrecv(chunk[to], to, piece[from], from);
  }
}

}  // namespace

Algorithm describe_pairwise_alltoallv() {
  return {
      .collective = "alltoallv",
      .name = "pairwise",
      .summary = "one partner in each direction at a time",
      .options = {"sizes"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const int self = comm.rank(), size = comm.size();
            return pairwise_alltoallv(comm, {work.data, self, size, options},
                                      {work.scratch, work.data.size, self, size, options});
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return pairs_by_size_cost(ranks, items, options, true); },
      .scratch_items = pieces_by_pair_items,
      .alike = [](int, std::size_t, const Options& options) { return options.sizes == nullptr; },
  };
}

}  // namespace ringscope
