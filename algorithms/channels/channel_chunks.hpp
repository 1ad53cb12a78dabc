// Division of every rank's chunk among channels, as an allgather and a reduce-scatter have it.
#pragma once

#include "algorithms/channels/channel_rings.hpp"

namespace ringscope {

/// Shares of the channels of a chunk; their offsets count from its begin.
std::vector<Range> channel_chunks(int ranks, std::size_t items, const Options& options);

/// Items of a share that go round at once.
std::size_t channel_piece(const Options& options);

std::size_t chunk_slot(int ranks, std::size_t part, const Options& options);

Cost channel_chunks_cost(int ranks, std::size_t items, Options options);

std::size_t channel_chunks_scratch(int ranks, std::size_t items, Options options);

}  // namespace ringscope
