// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/channels/channel_parts.hpp"

#include <algorithm>
#include <array>

namespace ringscope {
namespace {

constexpr std::size_t least_traffic = 32 << 10;  ///< B per channel
constexpr std::size_t ll_traffic = 4;            ///< times as much as its data
constexpr std::size_t grain = 16;                ///< B

/// B of data in a step's buffer: 512 threads with 8 lines of 16 B, half of them data; 640 threads
/// with 120 words of 8 B, 15 of 16 data; an eighth of 4 MiB.
constexpr std::array<std::size_t, protocol_names.size()> step_buffers = {
    512 * 8 * 16 / 2, 640 * 120 * 8 / 16 * 15, (4 << 20) / 8};

constexpr std::size_t up(std::size_t n, std::size_t by) { return (n + by - 1) / by; }

}  // namespace

Protocol protocol_named(std::string_view name) {
  const auto found = std::find(protocol_names.begin(), protocol_names.end(), name);
  if (found == protocol_names.end()) return Protocol::simple;
  return static_cast<Protocol>(found - protocol_names.begin());
}

std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps) {
  const std::size_t bytes = step_buffers[static_cast<std::size_t>(protocol)];
  return std::max<std::size_t>(1, bytes * (protocol == Protocol::simple ? steps : 1) / item_bytes);
}

std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes) {
  const auto most = static_cast<std::size_t>(std::max(1, channels));
  const std::size_t per_byte =
      static_cast<std::size_t>(traffic) * (protocol == Protocol::ll ? ll_traffic : 1);
  const std::size_t bytes = data.size * item_bytes;
  const std::size_t cell = up(up(least_traffic, per_byte), grain) * grain;
  const std::size_t cells = up(bytes, cell);
  const std::size_t all = std::max(least_traffic, bytes * per_byte);
  const std::size_t each = up(all / most, grain) * grain;
  std::size_t cells_each = std::max<std::size_t>(1, std::min(cells, up(each, cell * per_byte)));
  if (up(cells, cells_each) > most) cells_each = up(cells, most);
  const std::size_t items_each = std::max<std::size_t>(1, up(cells_each * cell, item_bytes));
  std::vector<Range> parts;
  for (std::size_t from = 0; from < data.size; from += items_each)
    parts.push_back({data.buffer, data.offset + from, std::min(items_each, data.size - from)});
  return parts;
}

}  // namespace ringscope
