// All-to-all of a kernel's channels: a send and a receive with every other rank, as one group. What
// two ranks exchange is cut among some channels; a channel takes a few of its exchanges at once,
// and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
// Cost with C channels of a pair: at least P-1 steps, P(P-1)C messages, (P-1)S items on the wire.
#include "algorithms/channels/peer_channels.hpp"
#include "algorithms/steps/pieces.hpp"

namespace ringscope {
namespace {

struct Exchange {
  int to = 0, from = 0;
  Range sent, received;
};

/// All that one channel has to do, one block of threads of this rank.
struct PeerWork {
  Block block;
  std::vector<Exchange> exchanges;
};

std::vector<PeerWork> work_of(Communicator comm, Workspace work, const Options& options) {
  const int self = comm.rank(), size = comm.size();
  const Chunks chunk(work.data, size);
  const Pieces piece = {work.scratch, chunk[self].size};
  const PeerChannels peers = peer_channels(size, options);
  const std::size_t bytes = chunk[0].size * options.item_bytes;
  const int parts = peers.of_pair(bytes);
  std::vector<PeerWork> all(static_cast<std::size_t>(peers.all));
  for (int round = 1; round < size; ++round) {
    const int to = (self + round) % size, from = (self + size - round) % size;
    for (int part = 0; part < parts; ++part) {
      const auto i = static_cast<std::size_t>(part), n = static_cast<std::size_t>(parts);
      const int channel = peers.channel(round, part);
      PeerWork& one = all[static_cast<std::size_t>(channel)];
      one.block = {.channel = channel, .protocol = peer_protocol(bytes, parts)};
      one.exchanges.push_back({to, from, chunk[to].part(i, n), piece[from].part(i, n)});
    }
  }
  std::erase_if(all, [](const PeerWork& one) { return one.exchanges.empty(); });
  return all;
}

Task exchange(Communicator comm, PeerWork work, bool launched) {
  const Communicator block = comm.inside(work.block);
  co_await block.begin_block(launched);
  for (std::size_t first = 0; first < work.exchanges.size(); first += peers_at_once) {
    const std::size_t end = std::min(first + peers_at_once, work.exchanges.size());
    std::vector<Request> requests;
    for (std::size_t i = first; i < end; ++i) {
      const Exchange& one = work.exchanges[i];
      requests.push_back(block.irecv(one.received, one.from, work.block.channel));
      requests.push_back(block.isend(one.sent, one.to, work.block.channel));
    }
    co_await block.wait_all(requests);
  }
  block.end_block();
}

Task channel_peers_alltoall(Communicator comm, Workspace work, Options options) {
  const int self = comm.rank();
  const Chunks chunk(work.data, comm.size());
  std::vector<PeerWork> channels = work_of(comm, work, options);
  std::vector<Thread> others;
  for (std::size_t i = 1; i < channels.size(); ++i)
    others.push_back(comm.start(exchange(comm.beside(Beside::thread), std::move(channels[i]), true),
                                Beside::thread));
  co_await comm.copy(Pieces{work.scratch, chunk[self].size}[self], chunk[self]);
  if (!channels.empty()) co_await exchange(comm, std::move(channels[0]), true);
  for (const Thread other : others) co_await comm.join(other);
}

Cost cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t bytes = ring_chunk_items(ranks, items) * options.item_bytes;
  Cost pairs = pairs_cost(ranks, items, options);
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
      .cost = cost,
      .scratch_items = [](int ranks, std::size_t items,
                          Options) { return pieces_items(ranks, items); },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
