// SPDX-License-Identifier: LGPL-2.1-or-later
// Binomial scatter: each rank gets the chunks of its whole family in one message, keeps its own and
// passes on the rest, first to the child with the largest family.
//
// A root that is not rank 0 copies its vector first, into the order of the tree.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.2. MPICH: scatter_intra_binomial.
// Cost: ceil(log2 P) steps, P-1 messages; with 2^k ranks k S/2 items on the wire.
#include "algorithms/steps/binomial_items.hpp"

namespace ringscope {
namespace {

Task binomial_scatter(Communicator comm, Workspace work, int root) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const BinomialNode node(self, size);
  const Chunks chunk(work.data, size);
  const Range own = chunk[comm.rank()];
  const Rotation held(comm.rank() == 0 && root == 0 ? work.data : work.scratch, chunk, comm.rank());
  const auto rank = [=](int number) { return to_rank(number, root, size); };

  comm.enter("scatter");
  if (self == 0 && root != 0) {
    const int above = size - root;
    co_await comm.copy(held.span(0, above), chunk.span(root, above));
    co_await comm.copy(held.span(above, root), chunk.span(0, root));
  }
  if (self != 0) {
    co_await comm.recv(node.is_leaf() ? own : held.span(0, node.family()), rank(node.parent()));
    if (!node.is_leaf()) co_await comm.copy(own, held.span(0, 1));
  }
  for (int step : comm.phase("scatter", node.children())) {
    const int child = node.child(node.children() - 1 - step);
    const int family = BinomialNode(child, size).family();
    co_await comm.send(held.span(child - self, family), rank(child));
  }
}

}  // namespace

Algorithm describe_binomial_scatter() {
  return {
      .collective = "scatter",
      .name = "binomial",
      .summary = "each rank passes on its subtree's chunks; log2 P steps",
      .options = {"root"},
      .run = [](Communicator comm, Workspace work,
                Options options) { return binomial_scatter(comm, work, options.root); },
      .cost = binomial_chunks_cost,
      .scratch_items = binomial_scratch_items,
  };
}

}  // namespace ringscope
