// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings of a kernel's channels: each channel has a share of every rank's chunk, and takes it round
// a ring of its own, piece by piece, each as much as the protocol's buffers hold. The last piece of
// a step comes into a buffer and has to be copied to its place; those before it are while they are
// passed on.
//
// Source: NCCL 2.30.7, src/device/all_gather.h, runRing; channel_rings.hpp.
// Cost with R pieces of a chunk in all channels together: (P-1)R steps of blocks that keep pace,
// P(P-1)R messages, (P-1)S items on the wire.
#include <array>

#include "nccl/channels/channel_chunks.hpp"

namespace ringscope {
namespace {

Task ring_allgather_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int tag = ring.block.channel, last = block.size() - 2;
  for (int step : block.phase("allgather", block.size() - 1)) {
    const Range sent = piece_of(chunk[ring.rank(-step)], piece);
    const Range received = piece_of(chunk[ring.rank(-step - 1)], piece);
    const Range into = step == last ? ring.slot.first(received.size) : received;
    std::array<Request, 2> both = {block.irecv(into, ring.prev(), tag),
                                   block.isend(sent, ring.next(), tag)};
    co_await block.wait_all(both);
    if (step == last) co_await block.copy(received, into);
  }
}

}  // namespace

Algorithm describe_channel_rings_allgather() {
  return in_channel_chunks<all_rounds<ring_allgather_round>, chunk_slot, ring_slices>(
      "allgather", "channel_rings", "rings of the blocks of a kernel, by one of NCCL's protocols",
      channels_move_with_hosts);
}

}  // namespace ringscope
