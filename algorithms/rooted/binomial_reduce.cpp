// SPDX-License-Identifier: LGPL-2.1-or-later
// Binomial reduce: the broadcast backwards. Each rank adds the vectors of its children, from the
// smallest family on, and sends the sum to its parent.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.4. MPICH: reduce_intra_binomial.
// Cost: ceil(log2 P) steps, P-1 messages, (P-1)S items on the wire.
#include "algorithms/steps/binomial_items.hpp"

namespace ringscope {
namespace {

Task binomial_reduce(Communicator comm, Range data, Range scratch, int root) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const BinomialNode node(self, size);
  const auto rank = [=](int number) { return to_rank(number, root, size); };

  comm.enter("reduce");
  for (int step : comm.phase("reduce", node.children())) {
    co_await comm.recv(scratch, rank(node.child(step)));
    co_await comm.reduce(data, scratch);
  }
  if (self != 0) co_await comm.send(data, rank(node.parent()));
}

}  // namespace

Algorithm describe_binomial_reduce() {
  return {
      .collective = "reduce",
      .name = "binomial",
      .summary = "each rank adds what its children have; log2 P steps",
      .options = {"root"},
      .run = on_vector_and_scratch<binomial_reduce, &Options::root>,
      .cost = binomial_vector_cost,
      .scratch_items = scratch_of_several,
  };
}

}  // namespace ringscope
