// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of a vector among the channels of a kernel, and of a channel's part into rounds.
#pragma once

#include <vector>

#include "algorithms/verbs/protocol_buffers.hpp"
#include "algorithms/verbs/range.hpp"

namespace ringscope {

/// Parts of the channels, in whole cells, so that some channels may get fewer than others and the
/// last of them none. `traffic`: what NCCL takes an item for that passes a rank's links: 2 of an
/// allreduce, the ranks of an allgather's or a reduce-scatter's chunk, else 1. Source: NCCL 2.30.7,
/// src/enqueue.cc, scheduleCollTasksToPlan.
std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes);

}  // namespace ringscope
