// SPDX-License-Identifier: LGPL-2.1-or-later
// Recursive halving reduce-scatter: in each step two ranks split between them the chunks that both
// hold; after log2 P steps each is left with its own.
//
// Numbers of ranks that are no power of two fold (fold.hpp): who steps aside hands in its vector
// and gets its chunk back.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.3. MPICH:
// reduce_scatter_intra_recursive_halving. Open MPI: reduce_scatter_intra_basic_recursivehalving.
// Cost with 2^k <= P and r = P - 2^k: k steps (k+2 if r > 0), 2^k k + 2r messages; on the wire
// (2^k - 1)S items, rS items handed in and the r chunks given back.
#include "algorithms/steps/folded_chunks.hpp"

namespace ringscope {
namespace {

Task recursive_halving_reduce_scatter(Communicator comm, Range data, Range scratch) {
  const Fold fold(comm.size());
  const Chunks chunk(data, comm.size());
  const FoldedChunks held(chunk, fold);
  const int self = comm.rank();

  co_await fold_in(comm, fold, data, scratch);
  if (!fold.steps_aside(self)) {
    for (int step : comm.phase("halving", fold.rounds())) {
      const auto at = ordered_halving_step(fold.index(self), fold.size(), step);
      const int partner = fold.rank(at.partner);
      co_await comm.sendrecv(held.span(at.given, at.count), partner, scratch, partner);
      co_await comm.reduce(held.span(at.kept, at.count), scratch);
    }
  }
  if (fold.pairs() > 0) comm.enter("unfold");
  if (fold.steps_aside(self)) co_await comm.recv(chunk[self], self + 1);
  if (fold.stands_for_two(self)) co_await comm.send(chunk[self - 1], self - 1);
}

std::size_t recursive_halving_reduce_scatter_scratch(int ranks, std::size_t items, Options) {
  if (ranks == 1) return 0;
  if (Fold(ranks).pairs() > 0) return items;
  return Chunks({.size = items}, ranks).span(0, ranks / 2).size;
}

}  // namespace

Algorithm describe_recursive_halving_reduce_scatter() {
  return {
      .collective = "reduce_scatter",
      .name = "recursive_halving",
      .summary = "two ranks split what both hold; log2 P steps",
      .run = on_vector_and_scratch<recursive_halving_reduce_scatter>,
      .cost = folded_chunks_cost,
      .scratch_items = recursive_halving_reduce_scatter_scratch,
  };
}

}  // namespace ringscope
