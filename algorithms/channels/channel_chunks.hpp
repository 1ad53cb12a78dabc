// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of every rank's chunk among channels, as an allgather and a reduce-scatter have it.
#pragma once

#include "algorithms/channels/channel_rings.hpp"

namespace ringscope {

/// Shares of the channels of a chunk; their offsets count from its begin.
std::vector<Range> channel_chunks(int ranks, std::size_t items, const Options& options);

/// Items of a share that go round at once.
std::size_t channel_piece(const Options& options);

std::size_t chunk_slot(int ranks, std::size_t part, const Options& options);

/// Round of a channel with one piece of every rank's chunk.
using ChunkRound = Task (*)(Communicator block, ChannelRing ring, Chunks chunk, Range piece);

/// Program of a channel: a round for each piece of its share.
template <ChunkRound round>
Task all_rounds(Communicator block, ChannelRing ring, Range data, Options options) {
  for (const Range piece : pieces_of(ring.part, channel_piece(options)))
    co_await round(block, ring, Chunks(data, block.size()), piece);
}

Cost channel_chunks_cost(int ranks, std::size_t items, Options options);

std::size_t channel_chunks_scratch(int ranks, std::size_t items, Options options);

}  // namespace ringscope
