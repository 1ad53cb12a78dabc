// Rings of a kernel's channels: the vector is cut among them, and each block of threads takes its
// part round a ring of its own, in rounds of as much as the protocol's buffers hold. The last chunk
// of a round comes into a buffer, like the others, and has to be copied to its place; those before
// it are while they are passed on. With fewer SMs than channels an SM takes one after the other.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, runRing; ring_steps.hpp.
// Cost with R rounds of all channels together: 2(P-1)R steps of blocks that keep pace, 2P(P-1)R
// messages, 2(P-1)S items on the wire.
#include <array>
#include <numeric>

#include "algorithms/steps/channel_parts.hpp"
#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

constexpr int allreduce_traffic = 2;
constexpr int most_permuted = 4;  ///< ranks on one host, all pairs of which may have a link

/// A channel as a rank of it sees it.
struct Channel {
  Range part, slot;
  Block block;
  int position = 0;  ///< of this rank in the ring
  int prev = 0, next = 0;
};

std::vector<Range> parts_of(Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, allreduce_traffic,
                       options.item_bytes);
}

/// Items of a part that a round takes.
std::size_t round_items(int ranks, const Options& options) {
  return static_cast<std::size_t>(ranks) *
         chunk_items(protocol_named(options.protocol), options.item_bytes);
}

std::size_t rounds_of(std::size_t items, std::size_t in_a_round) {
  return items / in_a_round + (items % in_a_round == 0 ? 0 : 1);
}

/// Order of the channel's ring: as given; on one host each order once, then from the first again;
/// on several those that leave each host by another rank.
std::vector<int> order_of(int channel, int channels, int ranks, const Options& options) {
  if (options.orders != nullptr && !options.orders->empty())
    return (*options.orders)[static_cast<std::size_t>(channel) % options.orders->size()];
  const auto hosts = ranks_by_host(ranks, options.hosts);
  if (hosts.size() > 1 || ranks > most_permuted) return ring_order(hosts, channel, channels);
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < channel; ++i) std::next_permutation(order.begin() + 1, order.end());
  return order;  // behind the last comes the first
}

Channel channel_of(Communicator comm, int index, int channels, Range part, const Options& options) {
  const std::vector<int> order = order_of(index, channels, comm.size(), options);
  const auto self = std::find(order.begin(), order.end(), comm.rank());
  const auto position = static_cast<std::size_t>(self - order.begin());
  const std::size_t size = order.size();
  return {.part = part,
          .slot = {},
          .block = {.channel = index, .protocol = protocol_named(options.protocol)},
          .position = static_cast<int>(position),
          .prev = order[(position + size - 1) % size],
          .next = order[(position + 1) % size]};
}

Task round(Communicator block, Channel channel, Range range) {
  const Chunks chunk(range, block.size());
  const int tag = channel.block.channel, last = block.size() - 2;
  std::array<Request, 2> both;
  for (int step : block.phase("reduce-scatter", block.size() - 1)) {
    const auto [sent, received] = reduce_scatter_step(channel.position, step);
    both = {block.irecv(channel.slot, channel.prev, tag),
            block.isend(chunk[sent], channel.next, tag)};
    co_await block.wait_all(both);
    co_await block.reduce(chunk[received], channel.slot);
  }
  for (int step : block.phase("allgather", block.size() - 1)) {
    const auto [sent, received] = allgather_step(channel.position, step);
    both = {block.irecv(step == last ? channel.slot : chunk[received], channel.prev, tag),
            block.isend(chunk[sent], channel.next, tag)};
    co_await block.wait_all(both);
    if (step == last) co_await block.copy(chunk[received], channel.slot);
  }
}

/// Channels that one SM takes, one after the other.
Task channels_in_turn(Communicator comm, std::vector<Channel> channels, std::size_t in_a_round) {
  bool launched = true;
  for (const Channel& channel : channels) {
    const Communicator block = comm.inside(channel.block);
    co_await block.begin_block(std::exchange(launched, false));
    const std::size_t rounds = rounds_of(channel.part.size, in_a_round);
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t from = i * in_a_round;
      const Range range = {channel.part.buffer, channel.part.offset + from,
                           std::min(in_a_round, channel.part.size - from)};
      co_await round(block, channel, range);
    }
  }
}

std::size_t slot_items(int ranks, std::size_t part, const Options& options) {
  return ring_chunk_items(ranks, std::min(part, round_items(ranks, options)));
}

Task channel_rings_allreduce(Communicator comm, Workspace work, Options options) {
  if (comm.size() == 1) co_return;
  const std::vector<Range> parts = parts_of(work.data, options);
  const std::size_t turns = options.sms > 0
                                ? std::min(parts.size(), static_cast<std::size_t>(options.sms))
                                : parts.size();
  const std::size_t in_a_round = round_items(comm.size(), options);
  std::vector<std::vector<Channel>> by_sm(turns);
  std::size_t offset = work.scratch.offset;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Channel channel =
        channel_of(comm, static_cast<int>(i), static_cast<int>(parts.size()), parts[i], options);
    channel.slot = {work.scratch.buffer, offset, slot_items(comm.size(), parts[i].size, options)};
    offset += channel.slot.size;
    by_sm[i % turns].push_back(channel);
  }
  if (by_sm.empty()) co_return;
  std::vector<Thread> others;
  for (std::size_t sm = 1; sm < turns; ++sm)
    others.push_back(
        comm.start(channels_in_turn(comm.beside(Beside::thread), std::move(by_sm[sm]), in_a_round),
                   Beside::thread));
  co_await channels_in_turn(comm, std::move(by_sm[0]), in_a_round);
  for (const Thread other : others) co_await comm.join(other);
}

Cost cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  std::size_t rounds = 0;
  for (const Range& part : parts_of({.size = items}, options))
    rounds += rounds_of(part.size, round_items(ranks, options));
  return ring_cost(ranks, items, static_cast<std::int64_t>(rounds));
}

std::size_t scratch_items(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return 0;
  std::size_t sum = 0;
  for (const Range& part : parts_of({.size = items}, options))
    sum += slot_items(ranks, part.size, options);
  return sum;
}

/// Orders that are given are the same, seen from each host.
bool moves_with_hosts(int ranks, std::size_t, const Options& options) {
  if (options.orders == nullptr) return true;
  const auto hosts = ranks_by_host(ranks, options.hosts);
  const int moved = hosts.size() > 1 ? hosts[1].front() : 0;
  const auto count = static_cast<std::size_t>(ranks);
  return std::ranges::all_of(*options.orders, [&](const std::vector<int>& order) {
    std::vector<int> next(count);
    for (std::size_t i = 0; i < count; ++i)
      next[static_cast<std::size_t>(order[i])] = order[(i + 1) % count];
    for (int rank = 0; rank < ranks; ++rank)
      if (next[static_cast<std::size_t>((rank + moved) % ranks)] !=
          (next[static_cast<std::size_t>(rank)] + moved) % ranks)
        return false;
    return true;
  });
}

}  // namespace

Algorithm describe_channel_rings_allreduce() {
  return {
      .collective = "allreduce",
      .name = "channel_rings",
      .summary = "rings of the blocks of a kernel, by one of NCCL's protocols",
      .options = {"protocol", "channels", "sms"},
      .threads_for =
          [](const Options& options) {
            const int channels = std::max(1, options.channels);
            return options.sms > 0 ? std::min(options.sms, channels) : channels;
          },
      .run = channel_rings_allreduce,
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::steps,
      .alike = moves_with_hosts,
  };
}

}  // namespace ringscope
