// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/peer_channels.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/steps/host_order.hpp"
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
  return (reversed(base & (all - 1), bits) + reversed(part, bits)) & (all - 1);
}

PeerChannels peer_channels(int ranks, const Options& options) {
  const auto hosts = ranks_by_host(ranks, options.hosts);
  const nccl::Machine unknown;
  const nccl::Machine& machine = options.nccl != nullptr ? *options.nccl : unknown;
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
  peers.chunk = peers.several_hosts ? network_chunk : machine.nvlink ? nvlink_chunk : pcie_chunk;
  return peers;
}

Protocol peer_protocol(std::size_t bytes, int channels) {
  return bytes <= static_cast<std::size_t>(channels) * most_by_ll ? Protocol::ll : Protocol::simple;
}

}  // namespace ringscope
