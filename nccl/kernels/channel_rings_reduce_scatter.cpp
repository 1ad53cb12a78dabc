// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings of a kernel's channels: each channel has a share of every rank's chunk, and sums it round a
// ring of its own, piece by piece, each as much as the protocol's buffers hold.
//
// Source: NCCL 2.30.7, src/device/reduce_scatter.h, runRing; channel_rings.hpp.
// Cost with R pieces of a chunk in all channels together: (P-1)R steps of blocks that keep pace,
// P(P-1)R messages, (P-1)S items on the wire.
#include <array>

#include "nccl/channels/channel_chunks.hpp"

namespace ringscope {
namespace {

Task ring_reduce_scatter_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int tag = ring.block.channel;
  for (int step : block.phase("reduce-scatter", block.size() - 1)) {
    const Range sent = piece_of(chunk[ring.rank(-step - 1)], piece);
    const Range summed = piece_of(chunk[ring.rank(-step - 2)], piece);
    const Range received = ring.slot.first(summed.size);
    std::array<Request, 2> both = {block.irecv(received, ring.prev(), tag),
                                   block.isend(sent, ring.next(), tag)};
    co_await block.wait_all(both);
    co_await block.reduce(summed, received);
  }
}

}  // namespace

Algorithm describe_channel_rings_reduce_scatter() {
  return in_channel_chunks<all_rounds<ring_reduce_scatter_round>, chunk_slot, ring_slices>(
      "reduce_scatter", "channel_rings",
      "rings of the blocks of a kernel, by one of NCCL's protocols", channels_move_with_hosts);
}

}  // namespace ringscope
