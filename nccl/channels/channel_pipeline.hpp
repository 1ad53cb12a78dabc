// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of a vector among channels that pass it along from a root, or to one, in pieces.
#pragma once

#include "nccl/channels/channel_rings.hpp"

namespace ringscope {

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
