// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of a kernel's channels: the vector is cut among them, and each sums its part round a ring
// of its own, from the rank behind the root to the root, in pieces of as much as a step's buffer
// holds. What a rank has summed goes on from the buffer: its own vector stays as it was.
//
// Source: NCCL 2.30.7, src/device/reduce.h, runRing; channel_rings.hpp.
// Cost with K pieces of all channels together: P+K-2 steps of blocks that keep pace, (P-1)K
// messages, (P-1)S items on the wire.
#include "nccl/channels/channel_pipeline.hpp"

namespace ringscope {
namespace {

/// Room for a piece: one is sent while the next comes.
Range room(Range slot, const std::vector<Range>& pieces, std::size_t k) {
  const std::size_t offset = k % 2 == 0 ? 0 : pieces[0].size;
  return {slot.buffer, slot.offset + offset, pieces[k].size};
}

Task sum_up(Communicator block, ChannelRing ring, Range, Options options) {
  const std::vector<Range> pieces = pipeline_pieces(ring.part, options);
  const bool first = ring.prev() == options.root, last = block.rank() == options.root;
  const int tag = ring.block.channel, count = static_cast<int>(pieces.size());

  Request outgoing;
  for (int step : block.phase("reduce", count)) {
    const auto k = static_cast<std::size_t>(step);
    const Range own = pieces[k], slot = room(ring.slot, pieces, k);
    if (!first) co_await block.recv(slot, ring.prev(), tag);
    if (!first) co_await block.reduce(last ? own : slot, last ? slot : own);
    if (!last && k > 0) co_await block.wait(outgoing);
    if (!last) outgoing = block.isend(first ? own : slot, ring.next(), tag);
  }
  if (!last) co_await block.wait(outgoing);
}

std::size_t reduce_slot_items(int, std::size_t part, const Options& options) {
  const std::vector<Range> pieces = pipeline_pieces({.size = part}, options);
  return pieces[0].size + (pieces.size() > 1 ? pieces[1].size : 0);
}

}  // namespace

Algorithm describe_channel_rings_reduce() {
  return in_channel_pipeline<sum_up, reduce_slot_items>("reduce");
}

}  // namespace ringscope
