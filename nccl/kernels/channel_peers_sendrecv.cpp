// SPDX-License-Identifier: LGPL-2.1-or-later
// Shift of a kernel's channels: each rank sends its vector to the next one and receives that of the
// one before, as one group. It is cut among the channels that the pair has.
//
// Source: nccl-tests, src/sendrecv.cu; NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
// Cost with C channels of a pair: C steps, PC messages, PS items on the wire.
#include <utility>

#include "nccl/channels/peer_exchanges.hpp"

namespace ringscope {
namespace {

int parts_of(int ranks, std::size_t items, const Options& options) {
  return peer_channels(ranks, options).of_pair(items * options.item_bytes);
}

Task channel_peers_sendrecv(Communicator comm, Workspace work, Options options) {
  const Range received = work.scratch.first(work.data.size);
  std::vector<PeerExchange> shift;
  if (comm.size() > 1) {
    const std::size_t bytes = work.data.size * options.item_bytes;
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

}  // namespace

Algorithm describe_channel_peers_sendrecv() {
  return {
      .collective = "sendrecv",
      .name = "channel_peers",
      .summary = "a send and a receive of the blocks of a kernel",
      .options = {"channels"},
      .ring = true,
      .threads_for = [](const Options& options) { return peer_channels(2, options).all; },
      .run = channel_peers_sendrecv,
      .cost = channel_peers_sendrecv_cost,
      .scratch_items = [](int, std::size_t items, Options) { return items; },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
