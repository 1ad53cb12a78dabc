// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's groups of sends and receives: on all channels, as a power of two. Nothing is chosen but
// how many share a pair's bytes (peer_channels.hpp). Where the library does not say what blocks
// cost, all are posted at once.
#pragma once

#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "nccl/choice/choice.hpp"

namespace ringscope {

inline Choice choose_peers(int ranks, std::size_t, const Options& options) {
  if (ranks == 1 || options.nccl == nullptr) return {"posted"};
  return {.name = "channel_peers", .channels = nccl_channels(options)};
}

inline int peer_threads(const Options& options) {
  return options.nccl == nullptr
             ? 1
             : static_cast<int>(std::bit_ceil(static_cast<unsigned>(nccl_channels(options))));
}

/// `more`: options beside the channels.
template <const Selection& selection>
Algorithm peers_selector(std::vector<std::string_view> more = {}) {
  more.insert(more.begin(), {"channels", "gpus_per_thread"});
  return paced_selector<selection>(std::move(more), peer_threads);
}

}  // namespace ringscope
