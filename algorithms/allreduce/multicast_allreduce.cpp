// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchange without a server: every rank sends its data to all others as one stream that the network
// copies, and adds the data of the others. A rank sends S and receives (P-1)S: receiving is the
// bottleneck, where a ring has 2S(P-1)/P in each direction.
//
// Source: BVLC/caffe on GitHub, pull request 1148 (2014), whose GPUs received faster than they
// sent. Cost: P-1 steps, P messages, each copied by the network, PS items.

#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task multicast_allreduce(Communicator comm, Range data, Range scratch) {
  const int others = comm.size() - 1;
  if (others == 0) co_return;
  const auto slot = [&](int i) {
    const std::size_t offset = scratch.offset + times(i, data.size);
    return Range{scratch.buffer, offset, data.size};
  };
  std::vector<int> peers;
  Table<Request> requests;
  for (int i = 0; i < others; ++i) {
    peers.push_back((comm.rank() + 1 + i) % comm.size());
    requests.push_back(comm.irecv(slot(i), peers.back()));
  }
  co_await comm.multicast(data, peers);
  for (int step : comm.phase("add", others)) {
    co_await comm.wait(requests[step]);
    co_await comm.reduce(data, slot(step));
  }
}

}  // namespace

Algorithm describe_multicast_allreduce() {
  return {
      .collective = "allreduce",
      .name = "multicast",
      .summary = "each rank's data go to all others as one stream that the network copies",
      .run = on_vector_and_scratch<multicast_allreduce>,
      .cost =
          [](int ranks, std::size_t items, Options) {
            if (ranks == 1) return Cost{};
            return Cost{ranks - 1, ranks, static_cast<std::uint64_t>(ranks) * items};
          },
      .scratch_items = [](int ranks, std::size_t items,
                          Options) { return times(ranks - 1, items); },
  };
}

}  // namespace ringscope
