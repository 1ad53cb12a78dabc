// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring reduce: the reduce-scatter of the ring, then every rank sends the chunk that it has summed
// to the root. For long vectors.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.4, with a ring in place of the halving.
// Cost: 2(P-1) steps, P(P-1) + P-1 messages; on the wire (P-1)S items to be summed and all chunks
// but the one that the root has summed itself.
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task ring_reduce(Communicator comm, Chunks chunk, Range scratch, int root) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank(), size = comm.size();
  for (int step : comm.phase("reduce-scatter", size - 1)) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const Request incoming = comm.irecv(scratch, prev);
    co_await comm.send(chunk[sent], next);
    co_await comm.wait(incoming);
    co_await comm.reduce(chunk[received], scratch);
  }
  comm.enter("gather");
  if (self != root) {
    co_await comm.send(chunk[self + 1], root);
    co_return;
  }
  for (int step : comm.phase("gather", size - 1)) {
    const int other = to_rank(step + 1, root, size);
    co_await comm.recv(chunk[other + 1], other);
  }
}

Cost ring_reduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t own = Chunks({.size = items}, ranks)[options.root + 1].size;
  const std::int64_t others = ranks - 1;
  return {.steps = 2 * others,
          .messages = ranks * others + others,
          .items = static_cast<std::uint64_t>(others) * items + items - own};
}

}  // namespace

Algorithm describe_ring_reduce() {
  return {
      .collective = "reduce",
      .name = "ring",
      .summary = "each rank sums a chunk in a ring and sends it to the root",
      .options = {"root"},
      .ring = true,
      .run = on_chunks_and_scratch<ring_reduce, &Options::root>,
      .cost = ring_reduce_cost,
      .scratch_items = ring_scratch_items,
  };
}

}  // namespace ringscope
