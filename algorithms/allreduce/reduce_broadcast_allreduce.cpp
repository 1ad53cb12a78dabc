// SPDX-License-Identifier: LGPL-2.1-or-later
// A reduce to rank 0, then a broadcast from there: few messages leave a host with many ranks, where
// recursive doubling sends one of each rank in every step. For short vectors on many ranks.
//
// The reduce is binomial. The broadcast's tree has radix 4: in round l, from the last one on, rank
// r sends to r + 4^l, r + 2*4^l and r + 3*4^l, where r is a multiple of 4^(l+1).
//
// Source: Open MPI's allreduce_intra_nonoverlapping, reduce_intra_binomial and bcast_intra_knomial
// (ompi/mca/coll/base), the tree as coll_base_topo_build_kmtree makes it.
// Cost: ceil(log2 P) steps and the longest way down the second tree, 2(P-1) messages, 2(P-1)S items
// on the wire.

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

constexpr int radix = 4;

/// 4^l of the widest branches below `self`; 0: none.
constexpr int reach_below(int self, int ranks) {
  int reach = 1;
  while (reach < ranks && self % (radix * reach) == 0) reach *= radix;
  return reach / radix;
}

constexpr int parent_of(int self) {
  int reach = 1;
  while (self % (radix * reach) == 0) reach *= radix;
  return self - self % (radix * reach);
}

Task reduce_broadcast_allreduce(Communicator comm, Range data, Range scratch) {
  const int size = comm.size(), self = comm.rank();
  const BinomialNode node(self, size);

  for (int step : comm.phase("reduce", node.children())) {
    co_await comm.recv(scratch, node.child(step));
    co_await comm.reduce(data, scratch);
  }
  if (self != 0) {
    co_await comm.send(data, node.parent());
    co_await comm.recv(data, parent_of(self));
  }
  for (int reach = reach_below(self, size); reach > 0; reach /= radix)
    for (int child = self + reach; child < std::min(size, self + radix * reach); child += reach)
      co_await comm.send(data, child);
}

/// A rank sends in one round after the other, from that in which it received.
std::int64_t rounds_of_broadcast(int ranks) {
  Table<std::int64_t> round(ranks);
  std::int64_t last = 0;
  for (int self = 0; self < ranks; ++self) {
    std::int64_t now = round[self];
    last = std::max(last, now);
    for (int reach = reach_below(self, ranks); reach > 0; reach /= radix)
      for (int child = self + reach; child < std::min(ranks, self + radix * reach); child += reach)
        round[child] = ++now;
  }
  return last;
}

}  // namespace

Algorithm describe_reduce_broadcast_allreduce() {
  return {
      .collective = "allreduce",
      .name = "reduce_broadcast",
      .summary = "a binomial reduce, then a broadcast by a tree of radix 4",
      .run = on_vector_and_scratch<reduce_broadcast_allreduce>,
      .cost =
          [](int ranks, std::size_t items, Options) {
            return Cost{doublings(ranks) + rounds_of_broadcast(ranks), 2 * (ranks - 1),
                        2 * static_cast<std::uint64_t>(ranks - 1) * items};
          },
      .scratch_items = scratch_of_several,
  };
}

}  // namespace ringscope
