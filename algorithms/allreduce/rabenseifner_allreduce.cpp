// Rabenseifner's allreduce: a reduce-scatter by recursive halving, then the same steps backwards as
// an allgather. As few items as the ring in 2 log2 P steps instead of 2(P-1). Numbers of ranks that
// are no power of two fold first (fold.hpp).
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
// MPICH: allreduce_intra_reduce_scatter_allgather. Open MPI: allreduce_intra_redscat_allgather.
// Cost with 2^k <= P and r = P - 2^k: 2k steps (2k+2 if r > 0), 2^k 2k + 2r messages,
// 2(2^k - 1 + r)S = 2(P-1)S items on the wire.
#include "algorithms/steps/fold.hpp"
#include "algorithms/steps/halving_steps.hpp"

namespace ringscope {
namespace {

Task rabenseifner_allreduce(Communicator comm, Range data, Range scratch) {
  const Fold fold(comm.size());
  const Chunks chunk(data, fold.size());
  const int self = comm.rank(), rounds = fold.rounds();

  co_await fold_in(comm, data, scratch);
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
  co_await fold_out(comm, data);
}

Cost cost(int ranks, std::size_t items, Options) {
  const Fold fold(ranks);
  const Cost folding = fold_cost(ranks, items);
  const std::int64_t steps = 2 * fold.rounds();
  return {.steps = steps + folding.steps,
          .messages = fold.size() * steps + folding.messages,
          .items = 2 * static_cast<std::uint64_t>(fold.size() - 1) * items + folding.items};
}

/// Folding takes a whole vector, halving the first half of the chunks: no half is larger.
std::size_t scratch_items(int ranks, std::size_t items, Options) {
  if (ranks == 1) return 0;
  const Fold fold(ranks);
  if (fold.pairs() > 0) return items;
  return Chunks({.size = items}, fold.size()).span(0, fold.size() / 2).size;
}

}  // namespace

Algorithm describe_rabenseifner_allreduce() {
  return {
      .collective = "allreduce",
      .name = "rabenseifner",
      .summary = "recursive halving to reduce, recursive doubling to gather",
      .options = {},
      .run = [](Communicator comm, Workspace work,
                Options) { return rabenseifner_allreduce(comm, work.data, work.scratch); },
      .cost = cost,
      .scratch_items = scratch_items,
  };
}

}  // namespace ringscope
