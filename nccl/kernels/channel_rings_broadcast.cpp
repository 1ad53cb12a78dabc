// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of a kernel's channels: the vector is cut among them, and each passes its part round a
// ring of its own, from the root to the rank before it, in pieces of as much as a step's buffer
// holds.
//
// Source: NCCL 2.30.7, src/device/broadcast.h, runRing; channel_rings.hpp.
// Cost with K pieces of all channels together: P+K-2 steps of blocks that keep pace, (P-1)K
// messages, (P-1)S items on the wire.
#include "nccl/channels/channel_pipeline.hpp"

namespace ringscope {
namespace {

Task pass_on(Communicator block, ChannelRing ring, Range, Options options) {
  const std::vector<Range> pieces = pipeline_pieces(ring.part, options);
  const bool first = block.rank() == options.root, last = ring.next() == options.root;
  const int tag = ring.block.channel, count = static_cast<int>(pieces.size());

  Request incoming, outgoing;
  if (!first) incoming = block.irecv(pieces[0], ring.prev(), tag);
  for (int step : block.phase("broadcast", count)) {
    const auto k = static_cast<std::size_t>(step);
    if (!first) co_await block.wait(incoming);
    if (!first && k + 1 < pieces.size()) incoming = block.irecv(pieces[k + 1], ring.prev(), tag);
    if (!last && k > 0) co_await block.wait(outgoing);
    if (!last) outgoing = block.isend(pieces[k], ring.next(), tag);
  }
  if (!last) co_await block.wait(outgoing);
}

}  // namespace

Algorithm describe_channel_rings_broadcast() {
  return in_channel_pipeline<pass_on, no_slot>("broadcast");
}

}  // namespace ringscope
