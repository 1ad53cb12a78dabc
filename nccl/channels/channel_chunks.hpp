// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of every rank's chunk among channels, as an allgather and a reduce-scatter have it.
#pragma once

#include "nccl/channels/channel_rings.hpp"

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

/// A collective that runs the program in the channels' shares of every rank's chunk.
template <ChannelProgram program, SlotItems slot = chunk_slot, int slices = 1>
Algorithm in_channel_chunks(std::string_view collective, std::string_view name,
                            std::string_view summary, Property alike = nullptr) {
  return {
      .collective = collective,
      .name = name,
      .summary = summary,
      .options = {"protocol", "channels", "sms"},
      .threads_for = channel_threads,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return in_channels(comm, work, channel_chunks(comm.size(), work.data.size, options),
                               slot, program, options, slices);
          },
      .cost = channel_chunks_cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return slots_of(ranks, channel_chunks(ranks, items, options), slot, options);
          },
      .varies = Varies::steps,
      .alike = alike,
  };
}

// Division of a vector among channels that pass it along from a root, or to one, in pieces.

std::vector<Range> pipeline_parts(Range data, const Options& options);

/// Pieces of a channel's part: as much as a step's buffer holds.
std::vector<Range> pipeline_pieces(Range part, const Options& options);

/// With K pieces of all channels together: P - 2 + K steps, (P-1)K messages.
Cost pipeline_cost(int ranks, std::size_t items, Options options);

/// A collective with a root that runs the program in the channels' parts of the vector.
template <ChannelProgram program, SlotItems slot>
Algorithm in_channel_pipeline(std::string_view collective) {
  return {
      .collective = collective,
      .name = "channel_rings",
      .summary = "chains of the blocks of a kernel, by one of NCCL's protocols",
      .options = {"root", "protocol", "channels", "sms"},
      .threads_for = channel_threads,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return in_channels(comm, work, pipeline_parts(work.data, options), slot, program,
                               options);
          },
      .cost = pipeline_cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return slots_of(ranks, pipeline_parts({.size = items}, options), slot, options);
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
