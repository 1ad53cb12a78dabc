// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/channel_pipeline.hpp"

namespace ringscope {
namespace {

std::size_t piece_items(const Options& options) {
  return chunk_items(protocol_named(options.protocol), options.item_bytes, 1);
}

}  // namespace

std::vector<Range> pipeline_parts(Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, 1,
                       options.item_bytes);
}

std::vector<Range> pipeline_pieces(Range part, const Options& options) {
  return pieces_of(part, piece_items(options));
}

Cost pipeline_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1 || items == 0) return {};
  const std::int64_t pieces =
      count_pieces(pipeline_parts({.size = items}, options), piece_items(options));
  return {.steps = ranks - 2 + pieces,
          .messages = (ranks - 1) * pieces,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

}  // namespace ringscope
