// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends and receives of a kernel's channels: all-to-all, and a shift.

#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/steps/ring_steps.hpp"
#include "nccl/channels/peer_exchanges.hpp"

namespace ringscope {
namespace {

// All-to-all of a kernel's channels: a send and a receive with every other rank, as one group. What
// two ranks exchange is cut among some channels; a channel takes a few of its exchanges at once,
// and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
// Cost with C channels of a pair: at least P-1 steps, P(P-1)C messages, (P-1)S items on the wire.
//
// Of sizes that differ, each way is cut among as many channels as its bytes take, and whom nothing
// goes to gets no message: all2all_single_unequal_split in PyTorch's torch/csrc/cuda/nccl.cpp.
// Cost: a message for each channel of each pair that exchanges something; on the wire all but what
// each rank has for itself.

/// `chunk`: what goes to each rank; `piece`: where what comes from each is put; `transfer`: one way
/// of it with a peer.
template <typename ChunkOf, typename PieceOf, typename TransferOf>
Task exchange_with_all(Communicator comm, Options options, ChunkOf chunk, PieceOf piece,
                       TransferOf transfer) {
  const int self = comm.rank(), size = comm.size();
  std::vector<PeerExchange> exchanges;
  for (int round = 1; round < size; ++round) {
    const int to = (self + round) % size, from = (self + size - round) % size;
    exchanges.push_back({round, transfer(to, chunk[to]), transfer(from, piece[from])});
  }
  return exchange_on_channels(comm, peer_channels(size, options), std::move(exchanges), piece[self],
                              chunk[self]);
}

Task channel_peers_alltoall(Communicator comm, Workspace work, Options options) {
  const Chunks chunk(work.data, comm.size());
  const Pieces piece = {work.scratch, chunk[comm.rank()].size};
  const std::size_t bytes = chunk[0].size * options.given.item_bytes;
  return exchange_with_all(comm, options, chunk, piece, [bytes](int peer, Range range) {
    return Transfer{peer, range, bytes};
  });
}

Task channel_peers_alltoallv(Communicator comm, Workspace work, Options options) {
  const int self = comm.rank(), size = comm.size();
  const ChunksByPair chunk(work.data, self, size, options);
  const PiecesByPair piece(work.scratch, work.data.size, self, size, options);
  return exchange_with_all(comm, options, chunk, piece, [&options](int peer, Range range) {
    return range.size == 0 ? Transfer{}
                           : Transfer{peer, range, range.size * options.given.item_bytes};
  });
}

Cost channel_peers_alltoall_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t bytes = ring_chunk_items(ranks, items) * options.given.item_bytes;
  Cost pairs = half_ring_cost(ranks, items, options);
  pairs.messages *= peer_channels(ranks, options).of_pair(bytes);
  return pairs;
}

Cost channel_peers_alltoallv_cost(int ranks, std::size_t items, Options options) {
  Cost pairs = pairs_by_size_cost(ranks, items, options, false);
  const PeerChannels channels = peer_channels(ranks, options);
  pairs.messages = 0;
  for (int from = 0; from < ranks; ++from) {
    const ChunksByPair chunk({.size = items}, from, ranks, options);
    for (int to = 0; to < ranks; ++to)
      if (to != from && chunk[to].size > 0)
        pairs.messages += channels.of_pair(chunk[to].size * options.given.item_bytes);
  }
  return pairs;
}

// Shift of a kernel's channels: each rank sends its vector to the next one and receives that of the
// one before, as one group. It is cut among the channels that the pair has.
//
// Source: nccl-tests, src/sendrecv.cu; NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
// Cost with C channels of a pair: C steps, PC messages, PS items on the wire.

int parts_of(int ranks, std::size_t items, const Options& options) {
  return peer_channels(ranks, options).of_pair(items * options.given.item_bytes);
}

Task channel_peers_sendrecv(Communicator comm, Workspace work, Options options) {
  const Range received = work.scratch.first(work.data.size);
  std::vector<PeerExchange> shift;
  if (comm.size() > 1) {
    const std::size_t bytes = work.data.size * options.given.item_bytes;
    shift.push_back({1, {comm.next(), work.data, bytes}, {comm.prev(), received, bytes}});
    co_await exchange_on_channels(comm, peer_channels(comm.size(), options), std::move(shift), {},
                                  {});
  } else {
    co_await comm.copy(received, work.data);
  }
}

Cost channel_peers_sendrecv_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::int64_t parts = parts_of(ranks, items, options);
  return {.steps = parts,
          .messages = ranks * parts,
          .items = static_cast<std::uint64_t>(ranks) * items};
}

Algorithm with_all(std::string_view collective, std::vector<std::string_view> options) {
  return {
      .collective = collective,
      .name = "channel_peers",
      .summary = "sends and receives of the blocks of a kernel, a few concurrently",
      .options = std::move(options),
      .threads_for = [](const Options& given) { return peer_channels(2, given).all; },
      .run = channel_peers_alltoall,
      .cost = channel_peers_alltoall_cost,
      .scratch_items = pieces_items,
      .varies = Varies::steps,
  };
}

}  // namespace

Algorithm describe_channel_peers_alltoall() { return with_all("alltoall", {"channels"}); }

Algorithm describe_channel_peers_alltoallv() {
  Algorithm by_size = with_all("alltoallv", {"channels", "sizes"});
  by_size.run = channel_peers_alltoallv;
  by_size.cost = channel_peers_alltoallv_cost;
  by_size.scratch_items = pieces_by_pair_items;
  return by_size;
}

Algorithm describe_channel_peers_sendrecv() {
  Algorithm shift = with_all("sendrecv", {"channels"});
  shift.summary = "a send and a receive of the blocks of a kernel";
  shift.ring = true;
  shift.run = channel_peers_sendrecv;
  shift.cost = channel_peers_sendrecv_cost;
  shift.scratch_items = [](int, std::size_t items, Options) { return items; };
  return shift;
}

}  // namespace ringscope
