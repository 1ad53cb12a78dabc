// SPDX-License-Identifier: LGPL-2.1-or-later
// Trees of a kernel's channels: the vector is cut among them, and each block of threads takes its
// part, chunk by chunk, up a tree of its own and down again. A tree is a chain on each host, in the
// order in which the channel's ring goes through it (NCCL searches for another order, mostly over
// the same links), and one of two binary trees between hosts, the second for the second half of
// the channels. A rank without children copies what comes down from the buffer to its place; others
// do so while they pass it on. With fewer SMs than channels an SM takes one after the other. Where
// a log says which trees NCCL built, channels take those.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, runTreeSplit; src/graph/connect.cc; of the chunks
// src/enqueue.cc, calcCollChunking.
// Cost with K chunks of all channels together: 2(P-1)K messages, 2(P-1)S items on the wire; at
// least one step more than a channel's chunks.

#include "algorithms/allreduce/tree_branch.hpp"
#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/segments.hpp"
#include "nccl/channels/all_at_once.hpp"
#include "nccl/channels/channel_rings.hpp"
#include "nccl/search/job_channels.hpp"

namespace ringscope {
namespace {

constexpr int allreduce_traffic = 2;
using Hosts = Table<std::vector<int>>;

std::vector<Range> tree_parts(Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, allreduce_traffic,
                       options.given.item_bytes);
}

constexpr int log2_of(std::size_t n) { return static_cast<int>(std::bit_width(n)) - 1; }

/// Halves the chunk down to `least` while a channel has fewer than `chunks` of them.
void halve(std::size_t& chunk, std::size_t channel_bytes, double chunks, std::size_t least) {
  while (chunk > least && static_cast<double>(channel_bytes / chunk) < chunks) chunk /= 2;
}

/// Items of a chunk: short vectors have smaller ones, so that all levels of the tree are at work.
std::size_t chunk_of(std::size_t items, int ranks, std::size_t hosts, const Options& options) {
  const Protocol protocol = protocol_named(options.protocol);
  const std::size_t bytes = items * options.given.item_bytes;
  const std::size_t each = bytes / static_cast<std::size_t>(std::max(1, options.channels));
  const double on_host = static_cast<double>(ranks) / static_cast<double>(hosts);
  std::size_t chunk = chunk_items(protocol, 1);
  if (protocol == Protocol::simple) {
    constexpr std::size_t step = 512 << 10;
    const double depth = on_host - 1 + log2_of(hosts);
    chunk = step;
    halve(chunk, each, 8 * depth, 128 << 10);
    halve(chunk, each, 4 * depth, 64 << 10);
    halve(chunk, each, depth, 32 << 10);
  } else if (protocol == Protocol::ll128) {
    const double steps = 1 + log2_of(hosts) + 0.1 * on_host;
    halve(chunk, each, 64 * steps / on_host, 128 << 10);
    halve(chunk, each, 16 * steps / on_host, 32 << 10);
  }
  return std::max<std::size_t>(1, chunk / options.given.item_bytes);
}

/// The ranks of each host in the order of the channel's ring.
Table<Table<int>> chains_of(const Hosts& hosts, int channel, const Options& options) {
  if (options.given.orders == nullptr || options.given.orders->empty())
    return {hosts.begin(), hosts.end()};
  const Table<int>& order = (*options.given.orders)[channel % std::ssize(*options.given.orders)];
  Table<int> host_of(order.size());
  for (int host = 0; host < std::ssize(hosts); ++host)
    for (const int rank : hosts[host]) host_of[rank] = host;
  const auto rank_at = [&](std::size_t i) { return order[i % order.size()]; };
  std::size_t first = 0;  // where a host's piece begins
  while (hosts.size() > 1 && host_of[rank_at(first)] == host_of[rank_at(first + order.size() - 1)])
    ++first;
  Table<Table<int>> chains(hosts.size());
  for (std::size_t i = first; i < first + order.size(); ++i)
    chains[host_of[rank_at(i)]].push_back(rank_at(i));
  return chains;
}

bool is_second_tree(int channel, int channels, const Options& options) {
  const int all = options.given.orders != nullptr && !options.given.orders->empty()
                      ? static_cast<int>(options.given.orders->size())
                      : channels;
  return channel % all >= (all + 1) / 2;
}

/// The tree that a log has for the channel; null where it has none.
const Table<TreeEnds>* known_tree(int channel, const Options& options) {
  if (options.given.trees == nullptr) return nullptr;
  return &(*options.given.trees)[channel % std::ssize(*options.given.trees)];
}

nccl::ChainTree tree_of(const Hosts& hosts, int channel, int channels, const Options& options) {
  Table<Table<int>> chains = chains_of(hosts, channel, options);
  Table<int> branches;
  for (const Table<int>& chain : chains) branches.push_back(chain.size() > 1 ? 1 : 0);
  const int which = is_second_tree(channel, channels, options) ? 1 : 0;
  return {std::move(chains), std::move(branches), which};
}

struct TreeChannel {
  Block block;
  TreeBranch branch;
};

/// A rank's channels, with their slots in the scratch space.
std::vector<TreeChannel> channels_of(Communicator comm, Workspace work, const Options& options) {
  const Hosts hosts = ranks_by_host(comm.size(), options.given.hosts);
  const Table<Range> parts = tree_parts(work.data, options);
  const std::size_t chunk = chunk_of(work.data.size, comm.size(), hosts.size(), options);
  std::vector<TreeChannel> channels;
  const int count = static_cast<int>(parts.size());
  std::vector<int> trees;
  for (int i = 0; i < count; ++i) trees.push_back(is_second_tree(i, count, options) ? 1 : 0);
  const Table<int> times = performed_for(comm, parts, trees, options);
  std::size_t offset = 0;
  for (int i = 0; i < count; ++i) {
    if (times[i] == 0) continue;
    const Table<TreeEnds>* known = known_tree(i, options);
    const TreeEnds ends = known != nullptr ? (*known)[comm.rank()]
                                           : tree_of(hosts, i, count, options).ends(comm.rank());
    channels.push_back(
        {{.channel = i, .protocol = protocol_named(options.protocol), .alike = times[i]},
         TreeBranch(i, ends, parts[i], segments_of(parts[i].size, chunk))});
    offset = channels.back().branch.place_slots(work.scratch, offset, true);
  }
  return channels;
}

Task channel_trees_allreduce(Communicator comm, Workspace work, Options options) {
  std::vector<TreeChannel> channels;
  if (comm.size() > 1) channels = channels_of(comm, work, options);
  return on_sms(comm, std::move(channels), options.sms,
                [](Communicator block, TreeChannel channel) {
                  return up_and_down(block, std::vector<TreeBranch>(1, std::move(channel.branch)));
                });
}

Cost channel_trees_allreduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t hosts = ranks_by_host(ranks, options.given.hosts).size();
  const std::size_t chunk = chunk_of(items, ranks, hosts, options);
  std::size_t chunks = 0, most = 0;
  for (const Range& part : tree_parts({.size = items}, options)) {
    chunks += segments_of(part.size, chunk);
    most = std::max(most, segments_of(part.size, chunk));
  }
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  return {.steps = chunks == 0 ? 0 : static_cast<std::int64_t>(most) + 1,
          .messages = static_cast<std::int64_t>(2 * others * chunks),
          .items = 2 * others * items};
}

std::size_t channel_trees_allreduce_scratch(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return 0;
  const Hosts hosts = ranks_by_host(ranks, options.given.hosts);
  const std::size_t chunk = chunk_of(items, ranks, hosts.size(), options);
  const Table<Range> parts = tree_parts({.size = items}, options);
  const int count = static_cast<int>(parts.size());
  Table<std::size_t> needed(ranks);
  for (int i = 0; i < count; ++i) {
    const std::size_t slot = parts[i].part(0, segments_of(parts[i].size, chunk)).size;
    const Table<TreeEnds>* known = known_tree(i, options);
    const Table<TreeEnds> ends =
        known != nullptr ? *known : tree_of(hosts, i, count, options).all();
    for (int rank = 0; rank < ranks; ++rank) {
      const auto& children = ends[rank].children;
      const auto some = std::ssize(children) - std::ranges::count(children, no_rank);
      needed[rank] += times(std::max<std::ptrdiff_t>(1, some), slot);
    }
  }
  return std::ranges::max(needed);
}

}  // namespace

Algorithm describe_channel_trees_allreduce() {
  return {
      .collective = "allreduce",
      .name = "channel_trees",
      .summary = "trees of the blocks of a kernel, by one of NCCL's protocols",
      .options = {"protocol", "channels", "sms"},
      .threads_for = channel_threads,
      .run = channel_trees_allreduce,
      .cost = channel_trees_allreduce_cost,
      .scratch_items = channel_trees_allreduce_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
