// SPDX-License-Identifier: LGPL-2.1-or-later
// Allgather by the switch that joins the GPUs of a host and can copy (NVLink SHARP, NCCL's NVLS):
// every rank sends its chunk once, piece by piece, and the switch copies it to all others.
//
// Source: NCCL 2.30.7, src/device/all_gather.h, NCCL_ALGO_NVLS. Where no switch copies, as on MPI
// or by the loopback executor, each rank gets a message. Cost: switch_rounds.hpp.
#include "nccl/channels/switch_rounds.hpp"

namespace ringscope {
namespace {

using Requests = std::vector<Request>;

/// A piece of the rank's chunk to all others, and the same of theirs.
Requests start_copies(Communicator copying, Chunks chunk, Range piece, int tag) {
  const int self = copying.rank();
  Requests all;
  for (int other = 0; other < copying.size(); ++other) {
    if (other == self) continue;
    all.push_back(copying.isend(piece_of(chunk[self], piece), other, tag));
    all.push_back(copying.irecv(piece_of(chunk[other], piece), other, tag));
  }
  return all;
}

Task copy_all(Communicator block, ChannelRing channel, Range data, Options options) {
  const int size = block.size(), tag = channel.block.channel;
  const Communicator copying = by_switch(block, channel.block, Switch::copies, size - 1);
  const std::vector<Range> pieces = pieces_of(channel.part, switch_piece(size, data.size, options));
  std::vector<Requests> rounds;
  for (int step : block.phase("copy", static_cast<int>(pieces.size() + rounds_ahead))) {
    const auto round = static_cast<std::size_t>(step);
    if (round < pieces.size())
      rounds.push_back(start_copies(copying, Chunks(data, size), pieces[round], tag));
    if (round >= rounds_ahead) co_await block.wait_all(rounds[round - rounds_ahead]);
  }
}

}  // namespace

Algorithm describe_channel_switch_allgather() {
  Algorithm copies = in_channel_chunks<copy_all, no_slot>(
      "allgather", "channel_switch",
      "the switch copies for the blocks of a kernel, as NVLink SHARP does");
  copies.options = {"channels", "sms"};
  copies.one_host = true;
  copies.cost = switch_rounds_cost;
  return copies;
}

}  // namespace ringscope
