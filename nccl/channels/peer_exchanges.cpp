// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/peer_exchanges.hpp"

#include <bit>

#include "algorithms/steps/host_order.hpp"
#include "nccl/channels/all_at_once.hpp"
#include "nccl/choice/tuning.hpp"

namespace ringscope {
namespace {

constexpr std::size_t network_chunk = 128 << 10, nvlink_chunk = 512 << 10, pcie_chunk = 128 << 10;
constexpr std::size_t most_by_ll = 16 << 10;  ///< B of a channel

int power_of_two(int n) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(1, n))));
}

int reversed(int n, int bits) {
  int result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (n >> bit & 1) << (bits - 1 - bit);
  return result;
}

int up(int n, int by) { return (n + by - 1) / by; }

/// Items of a transfer in so many bytes; the product needs 64 bits also where std::size_t has 32.
std::size_t share_of(std::uint64_t bytes, const Transfer& whole) {
  return static_cast<std::size_t>(bytes * whole.range.size / whole.bytes);
}

PeerPart part_of(const Transfer& whole, int index, int parts, std::size_t chunk) {
  if (whole.peer < 0 || index >= parts) return {};
  const auto i = static_cast<std::size_t>(index), n = static_cast<std::size_t>(parts);
  const Range range = whole.range.part(i, n);
  const Protocol protocol = peer_protocol(whole.bytes, parts);
  // LL's flags let a receiver copy each line at once.
  const std::size_t last = protocol == Protocol::ll || whole.bytes == 0
                               ? 0
                               : std::min(range.size, share_of(chunk, whole));
  return {{whole.peer, range, 0, whole.tag}, protocol, range.first(last)};
}

}  // namespace

int PeerChannels::of_pair(std::size_t bytes) const {
  if (bytes == 0) return 1;
  const std::size_t shortest = several_hosts ? chunk / 2 : chunk / 8;
  const std::size_t longest = several_hosts ? chunk : chunk * 32;
  const auto needed = static_cast<int>(std::min<std::size_t>((bytes - 1) / shortest + 1, 1 << 16));
  int channels = std::min(least, needed);
  while (std::max(shortest, (bytes - 1) / static_cast<std::size_t>(channels) + 1) > longest &&
         channels <= most / 2)
    channels *= 2;
  return channels;
}

int PeerChannels::channel(int round, int part) const {
  constexpr int at_once = peers_at_once;
  const int bits = std::countr_zero(static_cast<unsigned>(all));
  const int base =
      several_hosts ? round / in_host * up(in_host, at_once) + round % in_host / at_once : round;
  return (reversed(base & (all - 1), bits) + part) & (all - 1);
}

PeerChannels peer_channels(int ranks, const Options& options) {
  const auto hosts = ranks_by_host(ranks, options.given.hosts);
  const nccl::Platform& machine = nccl::machine_of(options.given.nccl);
  PeerChannels peers;
  peers.several_hosts = hosts.size() > 1;
  peers.in_host = std::max(1, ranks / static_cast<int>(std::max<std::size_t>(1, hosts.size())));
  peers.all = power_of_two(options.channels);
  peers.most = std::min(peers.all, power_of_two(machine.peer_channels));
  constexpr int at_once = peers_at_once;
  while (peers.several_hosts && peers.most > 1 && peers.most * up(ranks, at_once) > peers.all)
    peers.most /= 2;
  peers.least = peers.most;
  while (peers.least > 1 && peers.least * ranks > peers.all) peers.least /= 2;
  peers.chunk = peers.several_hosts    ? network_chunk
                : machine.rings.nvlink ? nvlink_chunk
                                       : pcie_chunk;
  return peers;
}

Protocol peer_protocol(std::size_t bytes, int channels) {
  const std::size_t needed = (bytes + most_by_ll - 1) / most_by_ll;
  return std::cmp_less_equal(needed, channels) ? Protocol::ll : Protocol::simple;
}

std::vector<PeerWork> dealt_out(const PeerChannels& peers, const std::vector<PeerExchange>& all) {
  Table<PeerWork> channels(peers.all);
  for (const PeerExchange& one : all) {
    const int sent = peers.of_pair(one.sent.bytes), received = peers.of_pair(one.received.bytes);
    for (int part = 0; part < std::max(sent, received); ++part) {
      const int channel = peers.channel(one.round, part);
      PeerWork& work = channels[channel];
      work.channel = channel;
      work.exchanges.push_back(
          {part_of(one.sent, part, sent, 0), part_of(one.received, part, received, peers.chunk)});
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
    for (std::size_t i = first; i < end; ++i)
      if (const PeerPart& part = work.exchanges[i].second; part.last.size > 0)
        co_await by(part.protocol).copy(part.last, part.last);
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
