// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of every rank's chunk among channels, as an allgather and a reduce-scatter have it.
#pragma once

#include "nccl/channels/channel_rings.hpp"

namespace ringscope {

/// Shares of the channels of a chunk; their offsets count from its begin.
std::vector<Range> channel_chunks(int ranks, Range data, const Options& options);

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

/// A collective that runs the program in the channels' shares of every rank's chunk.
template <ChannelProgram program, SlotItems slot = chunk_slot, int slices = 1>
Algorithm in_channel_chunks(std::string_view collective, std::string_view name,
                            std::string_view summary, Property alike = nullptr) {
  Algorithm chunks = in_channel_parts<channel_chunks, program, slot, slices>(
      collective, name, summary, channel_chunks_cost);
  chunks.alike = alike;
  return chunks;
}

// Division of a vector among channels that pass it along from a root, or to one, in pieces.

std::vector<Range> pipeline_parts(int ranks, Range data, const Options& options);

/// Pieces of a channel's part: as much as a step's buffer holds.
std::vector<Range> pipeline_pieces(Range part, const Options& options);

/// With K pieces of all channels together: P - 2 + K steps, (P-1)K messages.
Cost pipeline_cost(int ranks, std::size_t items, Options options);

/// A collective with a root that runs the program in the channels' parts of the vector.
template <ChannelProgram program, SlotItems slot>
Algorithm in_channel_pipeline(std::string_view collective) {
  Algorithm chains = in_channel_parts<pipeline_parts, program, slot>(
      collective, "channel_rings", "chains of the blocks of a kernel, by one of NCCL's protocols",
      pipeline_cost);
  chains.options.insert(chains.options.begin(), "root");
  return chains;
}

}  // namespace ringscope
