// SPDX-License-Identifier: LGPL-2.1-or-later
// Binomial gather: the scatter backwards. Each rank collects the chunks of its family, from the
// smallest child on, and sends them to its parent in one message.
//
// A root that is not rank 0 collects them in the order of the tree and then copies them.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.4. MPICH: gather_intra_binomial. Open MPI:
// gather_intra_binomial.
// Cost: ceil(log2 P) steps, P-1 messages; with 2^k ranks k S/2 items on the wire.
#include "algorithms/steps/binomial_items.hpp"

namespace ringscope {
namespace {

Task binomial_gather(Communicator comm, Workspace work, int root) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const BinomialNode node(self, size);
  const Chunks chunk(work.data, size);
  const Range own = chunk[comm.rank()];
  const Rotation held(comm.rank() == 0 && root == 0 ? work.data : work.scratch, chunk, comm.rank());
  const auto rank = [=](int number) { return to_rank(number, root, size); };

  comm.enter("gather");
  if (self != 0 && !node.is_leaf()) co_await comm.copy(held.span(0, 1), own);
  for (int step : comm.phase("gather", node.children())) {
    const int child = node.child(step), family = BinomialNode(child, size).family();
    co_await comm.recv(held.span(child - self, family), rank(child));
  }
  if (self != 0)
    co_await comm.send(node.is_leaf() ? own : held.span(0, node.family()), rank(node.parent()));
  if (self == 0 && root != 0) {
    const int above = size - root - 1;
    co_await comm.copy(chunk.span(root + 1, above), held.span(1, above));
    co_await comm.copy(chunk.span(0, root), held.span(1 + above, root));
  }
}

}  // namespace

Algorithm describe_binomial_gather() {
  return {
      .collective = "gather",
      .name = "binomial",
      .summary = "each rank collects what its subtree has; log2 P steps",
      .options = {"root"},
      .run = [](Communicator comm, Workspace work,
                Options options) { return binomial_gather(comm, work, options.root); },
      .cost = binomial_chunks_cost,
      .scratch_items = binomial_scratch_items,
  };
}

}  // namespace ringscope
