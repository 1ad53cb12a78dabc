// SPDX-License-Identifier: LGPL-2.1-or-later
// PAT, parallel aggregated trees: each channel takes its share of every rank's chunk, piece by
// piece, to distances that fall from half of the ranks to one. What goes the same distance goes at
// once.
//
// Source: pat_steps.hpp; NCCL 2.30.7, src/device/all_gather.h. NCCL puts pieces that go the same
// way into one message while they fit its buffer, and begins those of a next piece meanwhile.
// Cost with R pieces of a chunk in all channels together: P(P-1)R messages, (P-1)S items on the
// wire; at least (P-1)R steps, as each rank receives that many.
#include "nccl/channels/channel_chunks.hpp"
#include "nccl/channels/pat_steps.hpp"

namespace ringscope {
namespace {

Task pat_allgather_round(Communicator block, ChannelRing ring, Chunks chunk, Range piece) {
  const int self = block.rank(), size = block.size(), tag = ring.block.channel;
  for (int step : block.phase("allgather", pat_steps(size))) {
    const int distance = pat_distance(size, step);
    const int from = rank_at(self, -distance, size), to = rank_at(self, distance, size);
    std::vector<Request> all;
    for (const int offset : pat_offsets(size, distance)) {
      const Range received = chunk[rank_at(from, -offset, size)];
      const Range sent = chunk[rank_at(self, -offset, size)];
      all.push_back(block.irecv(piece_of(received, piece), from, tag));
      all.push_back(block.isend(piece_of(sent, piece), to, tag));
    }
    co_await block.wait_all(all);
  }
}

}  // namespace

Algorithm describe_channel_pat_allgather() {
  return in_channel_chunks<all_rounds<pat_allgather_round>, no_slot>(
      "allgather", "channel_pat",
      "parallel trees of the blocks of a kernel, the farthest ranks first", always);
}

}  // namespace ringscope
