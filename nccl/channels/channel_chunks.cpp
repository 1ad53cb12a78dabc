// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/channel_chunks.hpp"

#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

std::size_t piece_items(const Options& options) {
  return chunk_items(protocol_named(options.protocol), options.given.item_bytes, 1);
}

}  // namespace

// Each of a rank's items passes the links of all ranks but one; NCCL counts all.
std::vector<Range> channel_chunks(int ranks, Range data, const Options& options) {
  return channel_parts({.size = ring_chunk_items(ranks, data.size)},
                       protocol_named(options.protocol), options.channels, ranks,
                       options.given.item_bytes);
}

std::size_t channel_piece(const Options& options) {
  return chunk_items(protocol_named(options.protocol), options.given.item_bytes);
}

std::size_t chunk_slot(int, std::size_t part, const Options& options) {
  return std::min(part, channel_piece(options));
}

Cost channel_chunks_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::int64_t steps =
      (ranks - 1) *
      count_pieces(channel_chunks(ranks, {.size = items}, options), channel_piece(options));
  return {.steps = steps,
          .messages = ranks * steps,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

std::vector<Range> pipeline_parts(int, Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, 1,
                       options.given.item_bytes);
}

std::vector<Range> pipeline_pieces(Range part, const Options& options) {
  return pieces_of(part, piece_items(options));
}

Cost pipeline_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1 || items == 0) return {};
  const std::int64_t pieces =
      count_pieces(pipeline_parts(ranks, {.size = items}, options), piece_items(options));
  return {.steps = ranks - 2 + pieces,
          .messages = (ranks - 1) * pieces,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

}  // namespace ringscope
