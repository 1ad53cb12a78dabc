// SPDX-License-Identifier: LGPL-2.1-or-later
// Division of a vector among the channels of a kernel, and of a channel's part into rounds.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/verbs/block.hpp"
#include "algorithms/verbs/range.hpp"

namespace ringscope {

/// Parts of the channels, in whole cells, so that some channels may get fewer than others and the
/// last of them none. `traffic`: items that NCCL charges for each item on a rank's links: 2 of an
/// allreduce, the ranks of an allgather's or a reduce-scatter's chunk, else 1. Source: NCCL 2.30.7,
/// src/enqueue.cc, scheduleCollTasksToPlan.
std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes);

// Channels of a kernel that do the same, of which executors that have no data perform one for all.
//
// Two channels that carry as much along one order over one way may change places, and nothing else
// changes, whatever runs beside them: so they have the same times.

/// For how many channels each is performed: itself and those like it; 0 where an earlier one is
/// performed for it. `parts`: theirs of the vector; `kinds`: numbers that differ where channels
/// with parts of one size do other things, by channel; none: they never do.
std::vector<int> performed_for(Communicator comm, const std::vector<Range>& parts,
                               const std::vector<int>& kinds, const Options& options);

}  // namespace ringscope
