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

}  // namespace ringscope
