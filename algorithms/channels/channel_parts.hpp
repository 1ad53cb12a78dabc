// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of a vector among the channels of a kernel, and of a channel's part into rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/verbs/block.hpp"
#include "algorithms/verbs/range.hpp"

namespace ringscope {

/// The protocol of that name; "auto" is Simple.
Protocol protocol_named(std::string_view name);

/// Parts of the channels, in whole cells, so that some channels may get fewer than others and the
/// last of them none. `traffic`: what NCCL takes an item for that passes a rank's links: 2 of an
/// allreduce, the ranks of an allgather's or a reduce-scatter's chunk, else 1. Source: NCCL 2.30.7,
/// src/enqueue.cc, scheduleCollTasksToPlan.
std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes);

/// Items of a channel's chunk in one round: as many as the protocol's buffers take; with Simple
/// that many of the eight steps of its buffer. Source: NCCL 2.30.7, src/init.cc,
/// src/include/collectives.h, src/enqueue.cc, calcCollChunking: four steps of rings, one of a
/// broadcast or a reduce.
std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps = 4);

}  // namespace ringscope
