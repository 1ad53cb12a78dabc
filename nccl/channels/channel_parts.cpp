// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/channel_parts.hpp"

namespace ringscope {
namespace {

constexpr std::size_t least_traffic = 32 << 10;  ///< B per channel
constexpr std::size_t ll_traffic = 4;            ///< times as much as its data
constexpr std::size_t grain = 16;                ///< B

constexpr std::size_t up(std::size_t n, std::size_t by) { return (n + by - 1) / by; }

}  // namespace

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

// Channels that share an SM go one after the other, each at its own time.
std::vector<int> performed_for(Communicator comm, const std::vector<Range>& parts,
                               const std::vector<int>& kinds, const Options& options) {
  std::vector<int> times(parts.size(), 1);
  if (options.given.like == nullptr || options.given.like->empty() || options.sms > 0 ||
      comm.performs_alike())
    return times;
  std::map<std::tuple<std::size_t, int, int>, std::size_t> first;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int like = (*options.given.like)[i % options.given.like->size()];
    const auto [known, is_new] =
        first.try_emplace({parts[i].size, like, kinds.empty() ? 0 : kinds[i]}, i);
    if (is_new) continue;
    times[i] = 0;
    ++times[known->second];
  }
  return times;
}

}  // namespace ringscope
