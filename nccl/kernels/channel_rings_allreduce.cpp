// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings of a kernel's channels: the vector is cut among them, and each block of threads takes its
// part round a ring of its own, in rounds of as much as the protocol's buffers hold. The last chunk
// of a round comes into a buffer, like the others, and has to be copied to its place; those before
// it are while they are passed on.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, runRing; ring_steps.hpp, channel_rings.hpp.
// Cost with R rounds of all channels together: 2(P-1)R steps of blocks that keep pace, 2P(P-1)R
// messages, 2(P-1)S items on the wire.

#include "algorithms/steps/ring_steps.hpp"
#include "nccl/channels/channel_rings.hpp"

namespace ringscope {
namespace {

constexpr int ring_traffic = 2;  ///< times that an item passes a rank's link

std::vector<Range> ring_parts(int, Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, ring_traffic,
                       options.given.item_bytes);
}

/// Items of a part that a round takes.
std::size_t round_items(int ranks, const Options& options) {
  return static_cast<std::size_t>(ranks) *
         chunk_items(protocol_named(options.protocol), options.given.item_bytes);
}

std::size_t slot_items(int ranks, std::size_t part, const Options& options) {
  return ring_chunk_items(ranks, std::min(part, round_items(ranks, options)));
}

Task round(Communicator block, ChannelRing ring, Range range) {
  const Chunks chunk(range, block.size());
  const int tag = ring.block.channel, last = block.size() - 2;
  const int prev = ring.prev(), next = ring.next();
  std::array<Request, 2> both;
  for (int step : block.phase("reduce-scatter", block.size() - 1)) {
    const auto [sent, received] = reduce_scatter_step(ring.position, step);
    both = {block.irecv(ring.slot, prev, tag), block.isend(chunk[sent], next, tag)};
    co_await block.wait_all(both);
    co_await block.reduce(chunk[received], ring.slot);
  }
  for (int step : block.phase("allgather", block.size() - 1)) {
    const auto [sent, received] = allgather_step(ring.position, step);
    both = {block.irecv(step == last ? ring.slot : chunk[received], prev, tag),
            block.isend(chunk[sent], next, tag)};
    co_await block.wait_all(both);
    if (step == last) co_await block.copy(chunk[received], ring.slot);
  }
}

Task ring_rounds(Communicator block, ChannelRing ring, Range, Options options) {
  for (const Range range : pieces_of(ring.part, round_items(block.size(), options)))
    co_await round(block, ring, range);
}

Cost channel_rings_allreduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  return ring_cost(
      ranks, items,
      count_pieces(ring_parts(ranks, {.size = items}, options), round_items(ranks, options)));
}

}  // namespace

Algorithm describe_channel_rings_allreduce() {
  Algorithm rings = in_channel_parts<ring_parts, ring_rounds, slot_items, ring_slices>(
      "allreduce", "channel_rings", "rings of the blocks of a kernel, by one of NCCL's protocols",
      channel_rings_allreduce_cost);
  rings.alike = channels_move_with_hosts;
  return rings;
}

}  // namespace ringscope
