// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/verbs/block.hpp"

#include <algorithm>

namespace ringscope {
namespace {

/// B of data in a step's buffer: 512 threads with 8 lines of 16 B, half of them data; 640 threads
/// with 120 words of 8 B, 15 of 16 data; an eighth of 4 MiB.
constexpr std::array<std::size_t, protocol_names.size()> step_buffers = {
    512 * 8 * 16 / 2, 640 * 120 * 8 / 16 * 15, (4 << 20) / 8};

}  // namespace

Protocol protocol_named(std::string_view name) {
  const auto found = std::ranges::find(protocol_names, name);
  if (found == protocol_names.end()) return Protocol::simple;
  return static_cast<Protocol>(found - protocol_names.begin());
}

std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps) {
  const std::size_t bytes = step_buffers[static_cast<std::size_t>(protocol)];
  return std::max<std::size_t>(1, bytes * (protocol == Protocol::simple ? steps : 1) / item_bytes);
}

}  // namespace ringscope
