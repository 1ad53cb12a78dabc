// SPDX-License-Identifier: LGPL-2.1-or-later
// Rabenseifner's allreduce: a reduce-scatter by recursive halving, then the same steps backwards as
// an allgather. As few items as the ring in 2 log2 P steps instead of 2(P-1). Numbers of ranks that
// are no power of two fold first (fold.hpp).
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
// MPICH: allreduce_intra_reduce_scatter_allgather; Open MPI's: below.
// Cost with 2^k <= P and r = P - 2^k: 2k steps (2k+2 if r > 0), 2^k 2k + 2r messages,
// 2(2^k - 1 + r)S = 2(P-1)S items on the wire.
#include "algorithms/steps/folded_chunks.hpp"

namespace ringscope {
namespace {

Task rabenseifner_allreduce(Communicator comm, Range data, Range scratch, Folding how) {
  const Fold fold(comm.size(), how);
  const Chunks chunk(data, fold.size());
  const int self = comm.rank(), rounds = fold.rounds();

  co_await fold_in(comm, fold, data, scratch);
  if (!fold.steps_aside(self)) {
    for (int step : comm.phase("reduce-scatter", rounds)) {
      const HalvingStep at = halving_step(fold.index(self), fold.size(), step);
      const Range kept = chunk.span(at.kept, at.count), given = chunk.span(at.given, at.count);
      const int partner = fold.rank(at.partner);
      co_await comm.sendrecv(given, partner, scratch, partner);
      co_await comm.reduce(kept, scratch);
    }
    for (int step : comm.phase("allgather", rounds)) {
      const HalvingStep at = halving_step(fold.index(self), fold.size(), rounds - 1 - step);
      const Range kept = chunk.span(at.kept, at.count), given = chunk.span(at.given, at.count);
      const int partner = fold.rank(at.partner);
      co_await comm.sendrecv(kept, partner, given, partner);
    }
  }
  co_await fold_out(comm, fold, data);
}

Cost rabenseifner_cost(int ranks, std::size_t items, Folding how) {
  const Fold fold(ranks, how);
  const Cost folding = fold_cost(fold, items);
  const std::int64_t steps = 2 * fold.rounds();
  return {.steps = steps + folding.steps,
          .messages = fold.size() * steps + folding.messages,
          .items = 2 * static_cast<std::uint64_t>(fold.size() - 1) * items + folding.items};
}

/// Folding whole vectors takes one, all else the larger half of the chunks.
std::size_t rabenseifner_scratch(int ranks, std::size_t items, Folding how) {
  if (ranks == 1) return 0;
  const Fold fold(ranks, how);
  if (fold.pairs() > 0 && !fold.by_halves()) return items;
  return Chunks({.size = items}, fold.size()).span(0, fold.size() / 2).size;
}

template <Folding how>
Algorithm rabenseifner(std::string_view name, std::string_view summary) {
  return {
      .collective = "allreduce",
      .name = name,
      .summary = summary,
      .run = [](Communicator comm, Workspace work,
                Options) { return rabenseifner_allreduce(comm, work.data, work.scratch, how); },
      .cost = [](int ranks, std::size_t items,
                 Options) { return rabenseifner_cost(ranks, items, how); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options) { return rabenseifner_scratch(ranks, items, how); },
  };
}

}  // namespace

Algorithm describe_rabenseifner_allreduce() {
  return rabenseifner<Folding::whole>("rabenseifner",
                                      "recursive halving to reduce, recursive doubling to gather");
}

// Rabenseifner's allreduce as Open MPI has it: numbers of ranks that are no power of two fold by
// halves (fold.hpp). With a power of two the same as `rabenseifner`.
//
// Source: Open MPI, coll_base_allreduce.c, ompi_coll_base_allreduce_intra_redscat_allgather.
// Cost with 2^k <= P and r = P - 2^k > 0: 2k+3 steps, 2^k 2k + 4r messages,
// 2(2^k - 1)S + r(2S + floor(S/2)) items on the wire.
Algorithm describe_rabenseifner_halves_allreduce() {
  return rabenseifner<Folding::by_halves>("rabenseifner_halves",
                                          "the same; ranks beyond a power of two fold by halves");
}

}  // namespace ringscope
