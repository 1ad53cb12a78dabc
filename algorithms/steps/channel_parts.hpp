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
/// last of them none. `traffic`: how often an item passes a rank's link, times the ranks: 2 of an
/// allreduce. Source: NCCL 2.30.7, src/enqueue.cc, scheduleCollTasksToPlan.
std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes);

/// Items of a channel's chunk in one round: as many as the protocol's buffers take.
/// Source: NCCL 2.30.7, src/init.cc, src/enqueue.cc, calcCollChunking, of ring allreduces.
std::size_t chunk_items(Protocol protocol, std::size_t item_bytes);

}  // namespace ringscope
