// SPDX-License-Identifier: LGPL-2.1-or-later
// All-to-all of sizes that differ on a kernel's channels: a send and a receive with every other
// rank with which something is exchanged, as one group. Each way is cut among as many channels as
// its bytes take; a channel takes a few of its exchanges at once, and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp. Whom nothing goes to gets no
// message: all2all_single_unequal_split in PyTorch's torch/csrc/cuda/nccl.cpp.
// Cost: a message for each channel of each pair that exchanges something; on the wire all but what
// each rank has for itself.
#include "algorithms/alltoall/pair_sizes.hpp"
#include "nccl/channels/peer_exchanges.hpp"

namespace ringscope {
namespace {

/// Nothing goes where there is nothing.
Transfer transfer(int peer, Range range, const Options& options) {
  if (range.size == 0) return {};
  return {peer, range, range.size * options.item_bytes};
}

Task channel_peers_alltoallv(Communicator comm, Workspace work, Options options) {
  const int self = comm.rank(), size = comm.size();
  const ChunksByPair chunk(work.data, self, size, options);
  const PiecesByPair piece(work.scratch, work.data.size, self, size, options);
  std::vector<PeerExchange> exchanges;
  for (int round = 1; round < size; ++round) {
    const int to = (self + round) % size, from = (self + size - round) % size;
    exchanges.push_back(
        {round, transfer(to, chunk[to], options), transfer(from, piece[from], options)});
  }
  return exchange_on_channels(comm, peer_channels(size, options), std::move(exchanges), piece[self],
                              chunk[self]);
}

Cost channel_peers_alltoallv_cost(int ranks, std::size_t items, Options options) {
  Cost pairs = pairs_by_size_cost(ranks, items, options, false);
  const PeerChannels channels = peer_channels(ranks, options);
  pairs.messages = 0;
  for (int from = 0; from < ranks; ++from) {
    const ChunksByPair chunk({.size = items}, from, ranks, options);
    for (int to = 0; to < ranks; ++to)
      if (to != from && chunk[to].size > 0)
        pairs.messages += channels.of_pair(chunk[to].size * options.item_bytes);
  }
  return pairs;
}

}  // namespace

Algorithm describe_channel_peers_alltoallv() {
  return {
      .collective = "alltoallv",
      .name = "channel_peers",
      .summary = "sends and receives of the blocks of a kernel, a few at once",
      .options = {"channels", "sizes"},
      .threads_for = [](const Options& options) { return peer_channels(2, options).all; },
      .run = channel_peers_alltoallv,
      .cost = channel_peers_alltoallv_cost,
      .scratch_items = pieces_by_pair_items,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
