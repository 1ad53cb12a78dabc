// SPDX-License-Identifier: LGPL-2.1-or-later
// Flat broadcast: the root posts a send to each of the others and waits for all of them.
//
// Open MPI: bcast_intra_basic_linear.
// Cost: P-1 steps, P-1 messages, (P-1)S items on the wire.
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task flat_broadcast(Communicator comm, Range data, int root) {
  const int size = comm.size();
  if (comm.rank() != root) {
    co_await comm.recv(data, root);
    co_return;
  }
  std::vector<Request> sends;
  for (int other = 1; other < size; ++other)
    sends.push_back(comm.isend(data, to_rank(other, root, size)));
  co_await comm.wait_all(sends);
}

}  // namespace

Algorithm describe_flat_broadcast() {
  return {
      .collective = "broadcast",
      .name = "flat",
      .summary = "the root sends to each of the others",
      .options = {"root"},
      .run = on_vector<flat_broadcast, &Options::root>,
      .cost =
          [](int ranks, std::size_t items, Options) {
            const std::int64_t others = ranks - 1;
            return Cost{others, others, static_cast<std::uint64_t>(others) * items};
          },
  };
}

}  // namespace ringscope
