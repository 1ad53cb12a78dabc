// SPDX-License-Identifier: LGPL-2.1-or-later
// Broadcast by a binomial scatter and a ring allgather: the root's vector leaves it once, in P
// chunks, and the ranks pass the chunks around. For long vectors.
//
// Chunks are counted from the root as ranks are, so that each subtree's chunks lie side by side.
//
// Source: Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, "Interprocessor collective
// communication library (InterCom)", SHPCC 1994; Thakur, Rabenseifner and Gropp 2005, section 4.2.
// MPICH: bcast_intra_scatter_ring_allgather. Open MPI: bcast_intra_scatter_allgather_ring.
// Cost: ceil(log2 P) + P-1 steps, P-1 + P(P-1) messages; on the wire what each subtree of the
// scatter takes and (P-1)S items of the allgather.
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task scatter_allgather_broadcast(Communicator comm, Chunks chunk, int root) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const BinomialNode node(self, size);
  const auto rank = [=](int number) { return to_rank(number, root, size); };

  comm.enter("scatter");
  if (self != 0) co_await comm.recv(chunk.span(self, node.family()), rank(node.parent()));
  for (int step : comm.phase("scatter", node.children())) {
    const int child = node.child(node.children() - 1 - step);
    co_await comm.send(chunk.span(child, BinomialNode(child, size).family()), rank(child));
  }

  for (int step : comm.phase("allgather", size - 1)) {
    const auto [sent, received] = allgather_step(self - 1, step);
    co_await comm.sendrecv(chunk[sent], comm.next(), chunk[received], comm.prev());
  }
}

Cost scatter_allgather_broadcast_cost(int ranks, std::size_t items, Options) {
  const Chunks chunk({.size = items}, ranks);
  Cost cost = {.steps = doublings(ranks) + ranks - 1,
               .messages = (ranks - 1) + std::int64_t{ranks} * (ranks - 1),
               .items = static_cast<std::uint64_t>(ranks - 1) * items};
  for (int child = 1; child < ranks; ++child)
    cost.items += chunk.span(child, BinomialNode(child, ranks).family()).size;
  return cost;
}

}  // namespace

Algorithm describe_scatter_allgather_broadcast() {
  return {
      .collective = "broadcast",
      .name = "scatter_allgather",
      .summary = "a chunk to each rank, then around in a ring",
      .options = {"root"},
      .run = on_chunks<scatter_allgather_broadcast, &Options::root>,
      .cost = scatter_allgather_broadcast_cost,
  };
}

}  // namespace ringscope
