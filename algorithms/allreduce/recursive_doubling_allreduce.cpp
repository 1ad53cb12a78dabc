// SPDX-License-Identifier: LGPL-2.1-or-later
// Recursive doubling: in step s every rank exchanges all it has with the rank whose index differs
// in bit s, and adds; after k = log2 P steps each has the sum of all. The fewest steps, the most
// items: for short vectors. Numbers of ranks that are no power of two fold first (fold.hpp).
//
// Source: Thakur, Rabenseifner and Gropp 2005. MPICH: allreduce_intra_recursive_doubling.
// Cost with 2^k <= P and r = P - 2^k: k steps (k+2 if r > 0), 2^k k + 2r messages,
// (2^k k + 2r)S items on the wire.
#include "algorithms/steps/fold.hpp"

namespace ringscope {
namespace {

Task recursive_doubling_allreduce(Communicator comm, Range data, Range scratch) {
  const Fold fold(comm.size());
  const int self = comm.rank();

  co_await fold_in(comm, fold, data, scratch);
  if (!fold.steps_aside(self)) {
    for (int step : comm.phase("doubling", fold.rounds())) {
      const int partner = fold.rank(fold.index(self) ^ (1 << step));
      co_await comm.sendrecv(data, partner, scratch, partner);
      co_await comm.reduce(data, scratch);
    }
  }
  co_await fold_out(comm, fold, data);
}

Cost recursive_doubling_allreduce_cost(int ranks, std::size_t items, Options) {
  const Fold fold(ranks);
  const Cost folding = fold_cost(fold, items);
  const std::int64_t exchanged = std::int64_t{fold.size()} * fold.rounds();
  return {.steps = fold.rounds() + folding.steps,
          .messages = exchanged + folding.messages,
          .items = static_cast<std::uint64_t>(exchanged) * items + folding.items};
}

}  // namespace

Algorithm describe_recursive_doubling_allreduce() {
  return {
      .collective = "allreduce",
      .name = "recursive_doubling",
      .summary = "recursive doubling; all items in each of log2 P steps",
      .run = on_vector_and_scratch<recursive_doubling_allreduce>,
      .cost = recursive_doubling_allreduce_cost,
      .scratch_items = scratch_of_several,
  };
}

}  // namespace ringscope
