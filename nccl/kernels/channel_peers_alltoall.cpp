// SPDX-License-Identifier: LGPL-2.1-or-later
// All-to-all of a kernel's channels: a send and a receive with every other rank, as one group. What
// two ranks exchange is cut among some channels; a channel takes a few of its exchanges at once,
// and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
// Cost with C channels of a pair: at least P-1 steps, P(P-1)C messages, (P-1)S items on the wire.
#include "algorithms/steps/pieces.hpp"
#include "nccl/channels/peer_exchanges.hpp"

namespace ringscope {
namespace {

Task channel_peers_alltoall(Communicator comm, Workspace work, Options options) {
  const int self = comm.rank(), size = comm.size();
  const Chunks chunk(work.data, size);
  const Pieces piece = {work.scratch, chunk[self].size};
  const std::size_t bytes = chunk[0].size * options.item_bytes;
  std::vector<PeerExchange> exchanges;
  for (int round = 1; round < size; ++round) {
    const int to = (self + round) % size, from = (self + size - round) % size;
    exchanges.push_back({round, {to, chunk[to], bytes}, {from, piece[from], bytes}});
  }
  return exchange_on_channels(comm, peer_channels(size, options), std::move(exchanges), piece[self],
                              chunk[self]);
}

Cost channel_peers_alltoall_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t bytes = ring_chunk_items(ranks, items) * options.item_bytes;
  Cost pairs = half_ring_cost(ranks, items, options);
  pairs.messages *= peer_channels(ranks, options).of_pair(bytes);
  return pairs;
}

}  // namespace

Algorithm describe_channel_peers_alltoall() {
  return {
      .collective = "alltoall",
      .name = "channel_peers",
      .summary = "sends and receives of the blocks of a kernel, a few at once",
      .options = {"channels"},
      .threads_for = [](const Options& options) { return peer_channels(2, options).all; },
      .run = channel_peers_alltoall,
      .cost = channel_peers_alltoall_cost,
      .scratch_items = pieces_items,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
