// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/channels/channel_rings.hpp"

#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/segments.hpp"
#include "nccl/channels/all_at_once.hpp"

namespace ringscope {
namespace {

constexpr std::size_t least_traffic = 32 << 10;  ///< B per channel
constexpr std::size_t ll_traffic = 4;            ///< times as much as its data
constexpr std::size_t grain = 16;                ///< B

constexpr std::size_t up(std::size_t n, std::size_t by) { return (n + by - 1) / by; }

constexpr int most_permuted = 4;  ///< ranks on one host, all pairs of which may have a link

/// Order of the channel's ring: as given; on one host each order once, then from the first again;
/// on several those that leave each host by another rank.
Table<int> order_of(int channel, int channels, int ranks, const Options& options) {
  if (options.given.orders != nullptr && !options.given.orders->empty())
    return (*options.given.orders)[channel % std::ssize(*options.given.orders)];
  const auto hosts = ranks_by_host(ranks, options.given.hosts);
  if (hosts.size() > 1 || ranks > most_permuted) return ring_order(hosts, channel, channels);
  Table<int> order = numbers_below(ranks);
  for (int i = 0; i < channel; ++i) std::next_permutation(order.begin() + 1, order.end());
  return order;
}

ChannelRing ring_of(Communicator comm, int index, int channels, Range part, Range slot,
                    const Options& options) {
  Table<int> order = order_of(index, channels, comm.size(), options);
  const auto self = std::ranges::find(order, comm.rank());
  const auto position = static_cast<int>(self - order.begin());
  return {.part = part,
          .slot = slot,
          .block = {.channel = index, .protocol = protocol_named(options.protocol)},
          .order = std::move(order),
          .position = position};
}

/// Where parts are of each rank's chunk and chunks differ by an item, so do the last parts.
std::vector<int> kinds_of(Range data, int ranks, const std::vector<Range>& parts) {
  std::size_t sum = 0;
  for (const Range& part : parts) sum += part.size;
  std::vector<int> kinds(parts.size());
  if (sum != data.size && data.size % static_cast<std::size_t>(ranks) != 0) kinds.back() = 1;
  return kinds;
}

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

int ChannelRing::rank(int places) const {
  const auto size = static_cast<int>(order.size());
  return order[((position + places) % size + size) % size];
}

Task in_channels(Communicator comm, Workspace work, Table<Range> parts, SlotItems slot,
                 ChannelProgram program, Options options, int slices) {
  if (comm.size() == 1 || parts.empty()) co_return;
  const Table<int> times =
      performed_for(comm, parts, kinds_of(work.data, comm.size(), parts), options);
  std::vector<ChannelRing> rings;
  std::size_t offset = work.scratch.offset;
  for (int i = 0; i < std::ssize(parts); ++i) {
    const Range room = {work.scratch.buffer, offset, slot(comm.size(), parts[i].size, options)};
    offset += room.size;
    if (times[i] == 0) continue;
    rings.push_back(ring_of(comm, i, static_cast<int>(parts.size()), parts[i], room, options));
    Block& block = rings.back().block;
    block.alike = times[i];
    if (block.protocol == Protocol::simple) block.slices = slices;
  }
  co_await on_sms(comm, std::move(rings), options.sms, [=](Communicator block, ChannelRing ring) {
    return program(block, std::move(ring), work.data, options);
  });
}

std::size_t slots_of(int ranks, const std::vector<Range>& parts, SlotItems slot,
                     const Options& options) {
  if (ranks == 1) return 0;
  std::size_t sum = 0;
  for (const Range& part : parts) sum += slot(ranks, part.size, options);
  return sum;
}

std::vector<Range> pieces_of(Range part, std::size_t most) {
  std::vector<Range> pieces;
  for (std::size_t from = 0; from < part.size; from += most)
    pieces.push_back({part.buffer, part.offset + from, std::min(most, part.size - from)});
  return pieces;
}

Range piece_of(Range chunk, Range piece) {
  const std::size_t from = std::min(piece.offset, chunk.size);
  return {chunk.buffer, chunk.offset + from, std::min(piece.size, chunk.size - from)};
}

std::int64_t count_pieces(const std::vector<Range>& parts, std::size_t most) {
  std::int64_t sum = 0;
  for (const Range& part : parts)
    sum += part.size == 0 ? 0 : static_cast<std::int64_t>(segments_of(part.size, most));
  return sum;
}

int channel_threads(const Options& options) {
  const int channels = std::max(1, options.channels);
  return options.sms > 0 ? std::min(options.sms, channels) : channels;
}

bool channels_move_with_hosts(int ranks, std::size_t, const Options& options) {
  if (options.given.orders == nullptr) return true;
  const auto hosts = ranks_by_host(ranks, options.given.hosts);
  const auto move_by = [&](int moved) {
    return std::ranges::all_of(*options.given.orders, [&](const Table<int>& order) {
      Table<int> next(ranks);
      for (int i = 0; i < ranks; ++i) next[order[i]] = order[(i + 1) % ranks];
      for (int rank = 0; rank < ranks; ++rank)
        if (next[(rank + moved) % ranks] != (next[rank] + moved) % ranks) return false;
      return true;
    });
  };
  return hosts.size() < 2 || move_by(hosts[1].front()) ||
         (hosts.size() % 2 == 0 && hosts.size() > 2 && move_by(hosts[2].front()));
}

}  // namespace ringscope
