// SPDX-License-Identifier: LGPL-2.1-or-later
// Rabenseifner's reduce: a reduce-scatter by recursive halving, then a binomial gather of the sums.
// Meant for long vectors. Numbers of ranks that are no power of two fold by halves first
// (fold.hpp).
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004. MPICH:
// reduce_intra_reduce_scatter_gather. Open MPI: reduce_intra_redscat_gather, and libnbc's ireduce.
// Cost with 2^k <= P and r = P - 2^k: 2k steps (2k+2 if r > 0), 2^k k + 2^k - 1 + 3r messages; on
// the wire (2^k - 1)S items to be summed, r(S + floor(S/2)) folded in, and the sums up the tree.

#include "algorithms/steps/folded_chunks.hpp"

namespace ringscope {
namespace {

constexpr int bits_of(int index) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(index)));
}

/// Step in which an index other than 0 hands on what it has summed: that of its highest bit.
constexpr HalvingStep handing_on(int index, int size) {
  return halving_step(index, size, bits_of(index) - 1);
}

Task rabenseifner_reduce(Communicator comm, Range data, Range scratch) {
  const Fold fold(comm.size(), Folding::by_halves);
  const Chunks chunk(data, fold.size());
  const int rounds = fold.rounds();

  co_await fold_in(comm, fold, data, scratch);
  if (fold.steps_aside(comm.rank())) co_return;
  const int self = fold.index(comm.rank());
  for (int step : comm.phase("reduce-scatter", rounds)) {
    const HalvingStep at = halving_step(self, fold.size(), step);
    const Range kept = chunk.span(at.kept, at.count), given = chunk.span(at.given, at.count);
    const int partner = fold.rank(at.partner);
    co_await comm.sendrecv(given, partner, scratch, partner);
    co_await comm.reduce(kept, scratch);
  }
  comm.enter("gather");
  for (int step : comm.phase("gather", rounds - bits_of(self))) {
    const HalvingStep at = halving_step(self, fold.size(), rounds - 1 - step);
    co_await comm.recv(chunk.span(at.given, at.count), fold.rank(at.partner));
  }
  if (self == 0) co_return;
  const HalvingStep at = handing_on(self, fold.size());
  co_await comm.send(chunk.span(at.kept, at.count), fold.rank(at.partner));
}

/// The ranks with the root in front, which no fold sets aside.
Communicator from(int root, Communicator comm) {
  if (root == 0) return comm;
  std::vector<int> order;
  for (int i = 0; i < comm.size(); ++i) order.push_back((root + i) % comm.size());
  return comm.among(order, "");
}

Cost rabenseifner_reduce_cost(int ranks, std::size_t items, Options) {
  const Fold fold(ranks, Folding::by_halves);
  const Chunks chunk({.size = items}, fold.size());
  const auto pairs = static_cast<std::uint64_t>(fold.pairs());
  const auto others = static_cast<std::uint64_t>(fold.size() - 1);
  std::uint64_t gathered = 0;
  for (int index = 1; index < fold.size(); ++index) {
    const HalvingStep at = handing_on(index, fold.size());
    gathered += chunk.span(at.kept, at.count).size;
  }
  return {.steps = 2 * fold.rounds() + (fold.pairs() > 0 ? 2 : 0),
          .messages = fold.size() * fold.rounds() + fold.size() - 1 + 3 * fold.pairs(),
          .items = others * items + gathered + pairs * (items + items / 2)};
}

}  // namespace

Algorithm describe_rabenseifner_reduce() {
  return {
      .collective = "reduce",
      .name = "rabenseifner",
      .summary = "recursive halving to reduce, a binomial tree to gather",
      .options = {"root"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return rabenseifner_reduce(from(options.root, comm), work.data, work.scratch);
          },
      .cost = rabenseifner_reduce_cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options) {
            if (ranks == 1) return std::size_t{0};
            const int size = Fold(ranks).size();
            return Chunks({.size = items}, size).span(0, size / 2).size;
          },
  };
}

}  // namespace ringscope
