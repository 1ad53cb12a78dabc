// SPDX-License-Identifier: LGPL-2.1-or-later
// Binomial broadcast: whoever has the vector passes it on, first to the child that has the most
// descendants; each step doubles the number of those who have it.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.2. MPICH: bcast_intra_binomial.
// Cost: ceil(log2 P) steps, P-1 messages, (P-1)S items on the wire.
#include "algorithms/steps/binomial_items.hpp"

namespace ringscope {
namespace {

Task binomial_broadcast(Communicator comm, Range data, int root) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const BinomialNode node(self, size);
  const auto rank = [=](int number) { return to_rank(number, root, size); };

  comm.enter("broadcast");
  if (self != 0) co_await comm.recv(data, rank(node.parent()));
  for (int step : comm.phase("broadcast", node.children()))
    co_await comm.send(data, rank(node.child(node.children() - 1 - step)));
}

}  // namespace

Algorithm describe_binomial_broadcast() {
  return {
      .collective = "broadcast",
      .name = "binomial",
      .summary = "all ranks with the data pass it on; log2 P steps",
      .options = {"root"},
      .run = on_vector<binomial_broadcast, &Options::root>,
      .cost = binomial_vector_cost,
  };
}

}  // namespace ringscope
