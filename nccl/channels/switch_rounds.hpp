// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages of a kernel's blocks that the switch of a host adds up, or copies, beside those that it
// passes on; and the rounds of a block, several of which are in flight.
//
// Source: NCCL 2.30.7, src/device/all_gather.h and reduce_scatter.h, NCCL_ALGO_NVLS; of the chunks
// src/enqueue.cc, calcCollChunking.
#pragma once

#include <algorithm>

#include "nccl/channels/channel_chunks.hpp"

namespace ringscope {

/// Rounds that a stage may be ahead of the next one.
inline constexpr std::size_t rounds_ahead = 4;

/// The block as it is with messages that the switch treats so: those of `others` ranks are one.
inline Communicator by_switch(Communicator comm, Block block, Switch by, int others) {
  block.by = by;
  block.together = std::max(1, others);
  return comm.inside(block);
}

/// Items that a GPU offers, or sends, at once: shorter vectors have fewer.
inline std::size_t switch_piece(int ranks, std::size_t items, const Options& options) {
  const std::size_t bytes = items * options.item_bytes;
  const std::size_t at_once =
      static_cast<std::size_t>(std::max(1, options.channels)) * static_cast<std::size_t>(ranks);
  std::size_t piece = 128 << 10;
  const auto no_more = [&](std::size_t most, std::size_t pieces) {
    if (bytes < pieces * at_once * piece && piece > most) piece = most;
  };
  no_more(64 << 10, 64);
  no_more(32 << 10, 8);
  no_more(16 << 10, 2);
  return std::max<std::size_t>(1, piece / options.item_bytes);
}

/// With R pieces of a chunk in all channels together: P(P-1)R messages, (P-1)S items on the wire;
/// at least (P-1)R steps, as each rank receives that many.
Cost switch_rounds_cost(int ranks, std::size_t items, Options options);

}  // namespace ringscope
