// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/switch_channel.hpp"

namespace ringscope {

Cost switch_rounds_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::int64_t received = (ranks - 1) * count_pieces(channel_chunks(ranks, items, options),
                                                           switch_piece(ranks, items, options));
  return {.steps = received,
          .messages = ranks * received,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

}  // namespace ringscope
