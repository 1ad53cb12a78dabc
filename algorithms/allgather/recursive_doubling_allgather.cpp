// SPDX-License-Identifier: LGPL-2.1-or-later
// Recursive doubling allgather: in step s each rank exchanges all that it has with the rank whose
// index differs in bit s, which doubles it.
//
// Numbers of ranks that are no power of two fold (fold.hpp): who steps aside hands in its chunk and
// gets the whole vector back. MPICH sends what is missing from subtree to subtree instead.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.1. MPICH:
// allgather_intra_recursive_doubling. Open MPI: allgather_intra_recursivedoubling.
// Cost with 2^k <= P and r = P - 2^k: k steps (k+2 if r > 0), 2^k k + 2r messages; on the wire
// (2^k - 1)S items, the r chunks handed in and rS items given back.
#include "algorithms/steps/folded_chunks.hpp"

namespace ringscope {
namespace {

Task recursive_doubling_allgather(Communicator comm, Range data) {
  const Fold fold(comm.size());
  const Chunks chunk(data, comm.size());
  const FoldedChunks held(chunk, fold);
  const int self = comm.rank(), rounds = fold.rounds();

  if (fold.pairs() > 0) comm.enter("fold");
  if (fold.steps_aside(self)) co_await comm.send(chunk[self], self + 1);
  if (fold.stands_for_two(self)) co_await comm.recv(chunk[self - 1], self - 1);
  if (!fold.steps_aside(self)) {
    for (int step : comm.phase("doubling", rounds)) {
      const auto at = ordered_halving_step(fold.index(self), fold.size(), rounds - 1 - step);
      const int partner = fold.rank(at.partner);
      co_await comm.sendrecv(held.span(at.kept, at.count), partner, held.span(at.given, at.count),
                             partner);
    }
  }
  co_await fold_out(comm, fold, data);
}

}  // namespace

Algorithm describe_recursive_doubling_allgather() {
  return {
      .collective = "allgather",
      .name = "recursive_doubling",
      .summary = "each exchange doubles what a rank has; log2 P steps",
      .run = on_vector<recursive_doubling_allgather>,
      .cost = folded_chunks_cost,
  };
}

}  // namespace ringscope
