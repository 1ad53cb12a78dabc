// SPDX-License-Identifier: LGPL-2.1-or-later
// A reduce to rank 0, then a broadcast from there: few messages leave a host with many ranks, where
// recursive doubling sends one of each rank in every step. For short vectors on many ranks.
//
// The reduce is binomial. The broadcast's tree has radix 4: in round l, from the last one on, rank
// r sends to r + 4^l, r + 2*4^l and r + 3*4^l, where r is a multiple of 4^(l+1). In `binomial`, it
// doubles those who have the sum in each round, and a rank posts all its sends together.
//
// Source: Open MPI's allreduce_intra_nonoverlapping, reduce_intra_binomial and bcast_intra_knomial
// (ompi/mca/coll/base), the tree as coll_base_topo_build_kmtree makes it; `binomial`:
// allred_sched_diss of its coll/libnbc.
// Cost: ceil(log2 P) steps and the longest way down the second tree, 2(P-1) messages, 2(P-1)S items
// on the wire.

#include <bit>

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

Task reduce_to_first(Communicator comm, Range data, Range scratch) {
  const BinomialNode node(comm.rank(), comm.size());
  for (int step : comm.phase("reduce", node.children())) {
    co_await comm.recv(scratch, node.child(step));
    co_await comm.reduce(data, scratch);
  }
  if (comm.rank() != 0) co_await comm.send(data, node.parent());
}

Task reduce_broadcast_allreduce(Communicator comm, Range data, Range scratch) {
  const int size = comm.size(), self = comm.rank();

  co_await reduce_to_first(comm, data, scratch);
  if (self != 0) co_await comm.recv(data, parent_of(self));
  for (int reach = reach_below(self, size); reach > 0; reach /= radix)
    for (int child = self + reach; child < std::min(size, self + radix * reach); child += reach)
      co_await comm.send(data, child);
}

/// A rank receives from that without its highest bit, and sends to those with one bit above it.
Task binomial_allreduce(Communicator comm, Range data, Range scratch) {
  const int size = comm.size(), self = comm.rank();
  const auto above = static_cast<int>(std::bit_ceil(static_cast<unsigned>(self) + 1));

  co_await reduce_to_first(comm, data, scratch);
  if (self != 0) co_await comm.recv(data, self - above / 2);
  std::vector<Request> sends;
  for (int reach = above; self + reach < size; reach *= 2)
    sends.push_back(comm.isend(data, self + reach));
  co_await comm.wait_all(sends);
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

template <auto text, auto broadcast_steps>
Algorithm reduce_then_broadcast(std::string_view name, std::string_view summary) {
  return {
      .collective = "allreduce",
      .name = name,
      .summary = summary,
      .run = on_vector_and_scratch<text>,
      .cost =
          [](int ranks, std::size_t items, Options) {
            return Cost{doublings(ranks) + broadcast_steps(ranks), 2 * (ranks - 1),
                        2 * static_cast<std::uint64_t>(ranks - 1) * items};
          },
      .scratch_items = scratch_of_several,
  };
}

}  // namespace

Algorithm describe_reduce_broadcast_allreduce() {
  return reduce_then_broadcast<reduce_broadcast_allreduce, rounds_of_broadcast>(
      "reduce_broadcast", "a binomial reduce, then a broadcast by a tree of radix 4");
}

Algorithm describe_binomial_allreduce() {
  return reduce_then_broadcast<binomial_allreduce, doublings>(
      "binomial", "a binomial reduce, then a binomial broadcast");
}

}  // namespace ringscope
