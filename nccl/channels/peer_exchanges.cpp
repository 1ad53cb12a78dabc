// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/peer_exchanges.hpp"

#include <algorithm>
#include <utility>

#include "base/table.hpp"
#include "nccl/channels/all_at_once.hpp"

namespace ringscope {
namespace {

PeerPart part_of(const Transfer& whole, int index, int parts) {
  if (whole.peer < 0 || index >= parts) return {};
  const auto i = static_cast<std::size_t>(index), n = static_cast<std::size_t>(parts);
  return {{whole.peer, whole.range.part(i, n), 0, whole.tag}, peer_protocol(whole.bytes, parts)};
}

}  // namespace

std::vector<PeerWork> dealt_out(const PeerChannels& peers, const std::vector<PeerExchange>& all) {
  Table<PeerWork> channels(peers.all);
  for (const PeerExchange& one : all) {
    const int sent = peers.of_pair(one.sent.bytes), received = peers.of_pair(one.received.bytes);
    for (int part = 0; part < std::max(sent, received); ++part) {
      const int channel = peers.channel(one.round, part);
      PeerWork& work = channels[channel];
      work.channel = channel;
      work.exchanges.push_back(
          {part_of(one.sent, part, sent), part_of(one.received, part, received)});
    }
  }
  std::erase_if(channels, [](const PeerWork& one) { return one.exchanges.empty(); });
  return channels;
}

namespace {

Task run_channel(Communicator comm, PeerWork work) {
  const auto by = [&](Protocol protocol) {
    return comm.inside({.channel = work.channel, .protocol = protocol, .exchanges = true});
  };
  const Communicator block = by(work.exchanges.front().first.protocol);
  co_await block.begin_block(true);
  for (std::size_t first = 0; first < work.exchanges.size(); first += peers_at_once) {
    const std::size_t end = std::min(first + peers_at_once, work.exchanges.size());
    std::vector<Request> requests;
    for (std::size_t i = first; i < end; ++i) {
      const auto& [sent, received] = work.exchanges[i];
      const Transfer &out = sent.transfer, &in = received.transfer;
      if (in.peer >= 0)
        requests.push_back(by(received.protocol).irecv(in.range, in.peer, work.channel));
      if (out.peer >= 0)
        requests.push_back(by(sent.protocol).isend(out.range, out.peer, work.channel));
    }
    co_await block.wait_all(requests);
  }
  block.end_block();
}

}  // namespace

Task exchange_on_channels(Communicator comm, PeerChannels peers,
                          std::vector<PeerExchange> exchanges, Range own_piece, Range own) {
  std::vector<PeerWork> channels = dealt_out(peers, exchanges);
  const std::vector<Thread> others = start_others(comm, channels, run_channel);
  if (own.size > 0) co_await comm.copy(own_piece, own);
  if (!channels.empty()) co_await run_channel(comm, std::move(channels[0]));
  for (const Thread other : others) co_await comm.join(other);
}

}  // namespace ringscope
