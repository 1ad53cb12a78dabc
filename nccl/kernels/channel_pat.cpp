// SPDX-License-Identifier: LGPL-2.1-or-later
// PAT of a kernel's channels: allgather and reduce-scatter.
#include "nccl/channels/channel_chunks.hpp"
#include "nccl/channels/pat_steps.hpp"

namespace ringscope {
namespace {

// PAT, parallel aggregated trees: each channel takes its share of every rank's chunk, piece by
// piece, to distances that fall from half of the ranks to one. What goes the same distance goes at
// once.
//
// Source: pat_steps.hpp; NCCL 2.30.7, src/device/all_gather.h. NCCL puts pieces that go the same
// way into one message while they fit its buffer, and begins those of a next piece meanwhile. What
// goes no further comes into a buffer, and a block copies it to its place (prims_simple.h,
// patCopy). Cost with R pieces of a chunk in all channels together: P(P-1)R messages, (P-1)S items
// on the wire; at least (P-1)R steps, as each rank receives that many.

Task pat_allgather_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int self = block.rank(), size = block.size(), tag = ring.block.channel;
  for (int step : block.phase("allgather", pat_steps(size))) {
    const int distance = pat_distance(size, step);
    const int from = rank_at(self, -distance, size), to = rank_at(self, distance, size);
    const std::vector<int> offsets = pat_offsets(size, distance);
    std::vector<Request> all;
    std::vector<std::pair<Range, Range>> copies;
    for (const int offset : offsets) {
      const Range received = piece_of(chunk[rank_at(from, -offset, size)], piece);
      const Range sent = chunk[rank_at(self, -offset, size)];
      Range into = received;
      if (distance == 1 || offset + distance + 1 == size) {
        into = ring.slot.part(copies.size(), offsets.size()).first(received.size);
        copies.emplace_back(received, into);
      }
      all.push_back(block.irecv(into, from, tag));
      all.push_back(block.isend(piece_of(sent, piece), to, tag));
    }
    co_await block.wait_all(all);
    for (const auto& [place, slot] : copies) co_await block.copy(place, slot);
  }
}

// PAT, parallel aggregated trees, from their leaves to their roots: each channel takes its share of
// every rank's chunk, piece by piece, over distances that rise from one to half of the ranks, and
// sums it on the way to the rank whose chunk it is. Of what comes for a chunk the last part is
// added while the sum is sent on; all others are, like those of its own chunk, by themselves
// (patReduce).
//
// Source: pat_steps.hpp; NCCL 2.30.7, src/device/reduce_scatter.h; the allgather,
// whose mirror image it is.
// Cost with R pieces of a chunk in all channels together: P(P-1)R messages, (P-1)S items on the
// wire; at least (P-1)R steps, as each rank receives that many.

Task pat_reduce_scatter_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int self = block.rank(), size = block.size(), tag = ring.block.channel;
  for (int step : block.phase("reduce-scatter", pat_steps(size))) {
    const int distance = pat_distance(size, pat_steps(size) - 1 - step);
    const int from = rank_at(self, distance, size), to = rank_at(self, -distance, size);
    const std::vector<int> offsets = pat_offsets(size, distance);
    std::vector<Request> all;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const Range sent = chunk[rank_at(to, -offsets[i], size)];
      all.push_back(block.irecv(ring.slot.part(i, offsets.size()), from, tag));
      all.push_back(block.isend(piece_of(sent, piece), to, tag));
    }
    co_await block.wait_all(all);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const Range summed = piece_of(chunk[rank_at(self, -offsets[i], size)], piece);
      co_await block.reduce(summed, ring.slot.part(i, offsets.size()),
                            pat_adds_to_more(size, offsets[i], distance));
    }
  }
}

/// Room for what comes from the nearest rank, which is most.
std::size_t pat_slot_items(int ranks, std::size_t part, const Options& options) {
  return pat_offsets(ranks, 1).size() * chunk_slot(ranks, part, options);
}

}  // namespace

Algorithm describe_channel_pat_allgather() {
  return in_channel_chunks<all_rounds<pat_allgather_round>, pat_slot_items>(
      "allgather", "channel_pat",
      "parallel trees of the blocks of a kernel, the farthest ranks first", always);
}

Algorithm describe_channel_pat_reduce_scatter() {
  return in_channel_chunks<all_rounds<pat_reduce_scatter_round>, pat_slot_items>(
      "reduce_scatter", "channel_pat",
      "parallel trees of the blocks of a kernel, the nearest ranks first", always);
}

}  // namespace ringscope
