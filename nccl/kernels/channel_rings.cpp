// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings and chains of a kernel's channels: allgather, reduce-scatter, broadcast and reduce.

#include "nccl/channels/channel_chunks.hpp"

namespace ringscope {
namespace {

// Rings of a kernel's channels: each channel has a share of every rank's chunk, and takes it round
// a ring of its own, piece by piece, each as much as the protocol's buffers hold. The last piece of
// a step comes into a buffer and has to be copied to its place; those before it are while they are
// passed on.
//
// Source: NCCL 2.30.7, src/device/all_gather.h, runRing; channel_rings.hpp.
// Cost with R pieces of a chunk in all channels together: (P-1)R steps of blocks that keep pace,
// P(P-1)R messages, (P-1)S items on the wire.

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

// Rings of a kernel's channels: each channel has a share of every rank's chunk, and sums it round a
// ring of its own, piece by piece, each as much as the protocol's buffers hold. The last sum of a
// piece goes to no other rank: the block reads and writes it for itself.
//
// Source: NCCL 2.30.7, src/device/reduce_scatter.h, runRing; channel_rings.hpp.
// Cost with R pieces of a chunk in all channels together: (P-1)R steps of blocks that keep pace,
// P(P-1)R messages, (P-1)S items on the wire.

Task ring_reduce_scatter_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int tag = ring.block.channel, last = block.size() - 2;
  for (int step : block.phase("reduce-scatter", block.size() - 1)) {
    const Range sent = piece_of(chunk[ring.rank(-step - 1)], piece);
    const Range summed = piece_of(chunk[ring.rank(-step - 2)], piece);
    const Range received = ring.slot.first(summed.size);
    std::array<Request, 2> both = {block.irecv(received, ring.prev(), tag),
                                   block.isend(sent, ring.next(), tag)};
    co_await block.wait_all(both);
    co_await block.reduce(summed, received, step == last);
  }
}

// Chains of a kernel's channels: the vector is cut among them, and each passes its part round a
// ring of its own, from the root to the rank before it, in pieces of as much as a step's buffer
// holds. The last rank copies them from the buffer to their place; others do so while they pass
// them on.
//
// Source: NCCL 2.30.7, src/device/broadcast.h, runRing; channel_rings.hpp.
// Cost with K pieces of all channels together: P+K-2 steps of blocks that keep pace, (P-1)K
// messages, (P-1)S items on the wire.

/// Room for a piece: one is sent, or copied, while the next comes.
Range room(Range slot, const std::vector<Range>& pieces, std::size_t k) {
  const std::size_t offset = k % 2 == 0 ? 0 : pieces[0].size;
  return {slot.buffer, slot.offset + offset, pieces[k].size};
}

Task pass_on(Communicator block, ChannelRing ring, Range, Options options) {
  const std::vector<Range> pieces = pipeline_pieces(ring.part, options);
  const bool first = block.rank() == options.root, last = ring.next() == options.root;
  const int tag = ring.block.channel, count = static_cast<int>(pieces.size());

  const auto into = [&](std::size_t k) { return last ? room(ring.slot, pieces, k) : pieces[k]; };
  Request incoming, outgoing;
  if (!first) incoming = block.irecv(into(0), ring.prev(), tag);
  for (int step : block.phase("broadcast", count)) {
    const auto k = static_cast<std::size_t>(step);
    if (!first) co_await block.wait(incoming);
    if (!first && k + 1 < pieces.size()) incoming = block.irecv(into(k + 1), ring.prev(), tag);
    if (last) co_await block.copy(pieces[k], into(k));
    if (!last && k > 0) co_await block.wait(outgoing);
    if (!last) outgoing = block.isend(pieces[k], ring.next(), tag);
  }
  if (!last) co_await block.wait(outgoing);
}

// Chains of a kernel's channels: the vector is cut among them, and each sums its part round a ring
// of its own, from the rank behind the root to the root, in pieces of as much as a step's buffer
// holds. What a rank has summed goes on from the buffer: its own vector stays as it was.
//
// Source: NCCL 2.30.7, src/device/reduce.h, runRing; channel_rings.hpp.
// Cost with K pieces of all channels together: P+K-2 steps of blocks that keep pace, (P-1)K
// messages, (P-1)S items on the wire.

Task sum_up(Communicator block, ChannelRing ring, Range, Options options) {
  const std::vector<Range> pieces = pipeline_pieces(ring.part, options);
  const bool first = ring.prev() == options.root, last = block.rank() == options.root;
  const int tag = ring.block.channel, count = static_cast<int>(pieces.size());

  Request outgoing;
  for (int step : block.phase("reduce", count)) {
    const auto k = static_cast<std::size_t>(step);
    const Range own = pieces[k], slot = room(ring.slot, pieces, k);
    if (!first) co_await block.recv(slot, ring.prev(), tag);
    if (!first) co_await block.reduce(last ? own : slot, last ? slot : own, last);
    if (!last && k > 0) co_await block.wait(outgoing);
    if (!last) outgoing = block.isend(first ? own : slot, ring.next(), tag);
  }
  if (!last) co_await block.wait(outgoing);
}

std::size_t pipeline_slot_items(int, std::size_t part, const Options& options) {
  const std::vector<Range> pieces = pipeline_pieces({.size = part}, options);
  return pieces[0].size + (pieces.size() > 1 ? pieces[1].size : 0);
}

}  // namespace

Algorithm describe_channel_rings_allgather() {
  return in_channel_chunks<all_rounds<ring_allgather_round>, chunk_slot, ring_slices>(
      "allgather", "channel_rings", "rings of the blocks of a kernel, by one of NCCL's protocols",
      channels_move_with_hosts);
}

Algorithm describe_channel_rings_reduce_scatter() {
  return in_channel_chunks<all_rounds<ring_reduce_scatter_round>, chunk_slot, ring_slices>(
      "reduce_scatter", "channel_rings",
      "rings of the blocks of a kernel, by one of NCCL's protocols", channels_move_with_hosts);
}

Algorithm describe_channel_rings_broadcast() {
  return in_channel_pipeline<pass_on, pipeline_slot_items>("broadcast");
}

Algorithm describe_channel_rings_reduce() {
  return in_channel_pipeline<sum_up, pipeline_slot_items>("reduce");
}

}  // namespace ringscope
