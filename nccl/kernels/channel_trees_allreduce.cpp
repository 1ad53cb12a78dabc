// SPDX-License-Identifier: LGPL-2.1-or-later
// Trees of a kernel's channels: the vector is cut among them, and each block of threads takes its
// part, chunk by chunk, up a tree of its own and down again. A tree is a chain on each host, in the
// order in which the channel's ring goes through it (NCCL searches for another order, mostly over
// the same links), and one of two binary trees between hosts, the second for the second half of
// the channels. With fewer SMs than channels an SM takes one after the other. Where a log says
// which trees NCCL built, channels take those.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, runTreeSplit; src/graph/connect.cc; of the chunks
// src/enqueue.cc, calcCollChunking.
// Cost with K chunks of all channels together: 2(P-1)K messages, 2(P-1)S items on the wire; at
// least one step more than a channel's chunks.
#include <algorithm>
#include <bit>

#include "algorithms/allreduce/tree_branch.hpp"
#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/segments.hpp"
#include "nccl/channels/channel_parts.hpp"
#include "nccl/channels/performed_channels.hpp"

namespace ringscope {
namespace {

constexpr int allreduce_traffic = 2;
using Hosts = std::vector<std::vector<int>>;

std::vector<Range> tree_parts(Range data, const Options& options) {
  return channel_parts(data, protocol_named(options.protocol), options.channels, allreduce_traffic,
                       options.item_bytes);
}

constexpr int log2_of(std::size_t n) { return static_cast<int>(std::bit_width(n)) - 1; }

/// Halves the chunk down to `least` while a channel has fewer than `chunks` of them.
void halve(std::size_t& chunk, std::size_t channel_bytes, double chunks, std::size_t least) {
  while (chunk > least && static_cast<double>(channel_bytes / chunk) < chunks) chunk /= 2;
}

/// Items of a chunk: short vectors have smaller ones, so that all levels of the tree are at work.
std::size_t chunk_of(std::size_t items, int ranks, std::size_t hosts, const Options& options) {
  const Protocol protocol = protocol_named(options.protocol);
  const std::size_t bytes = items * options.item_bytes;
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
  return std::max<std::size_t>(1, chunk / options.item_bytes);
}

/// The ranks of each host in the order of the channel's ring.
Hosts chains_of(const Hosts& hosts, int channel, const Options& options) {
  if (options.orders == nullptr || options.orders->empty()) return hosts;
  const auto& order = (*options.orders)[static_cast<std::size_t>(channel) % options.orders->size()];
  std::vector<std::size_t> host_of(order.size());
  for (std::size_t host = 0; host < hosts.size(); ++host)
    for (const int rank : hosts[host]) host_of[static_cast<std::size_t>(rank)] = host;
  const auto host_at = [&](std::size_t i) {
    return host_of[static_cast<std::size_t>(order[i % order.size()])];
  };
  std::size_t first = 0;  // where a host's piece begins
  while (hosts.size() > 1 && host_at(first) == host_at(first + order.size() - 1)) ++first;
  Hosts chains(hosts.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    chains[host_at(first + i)].push_back(order[(first + i) % order.size()]);
  return chains;
}

bool is_second_tree(int channel, int channels, const Options& options) {
  const int all = options.orders != nullptr && !options.orders->empty()
                      ? static_cast<int>(options.orders->size())
                      : channels;
  return channel % all >= (all + 1) / 2;
}

/// A channel's tree: chains, and the tree of hosts above them; or one that is known.
class Tree {
 public:
  Tree(Hosts chains, int which) : chains_(std::move(chains)), which_(which) {}
  Tree(Hosts ranks, const std::vector<TreeEnds>& known)
      : chains_(std::move(ranks)), known_(&known) {}

  /// Neighbours of the rank in this place of a chain.
  TreeEnds ends(std::size_t host, std::size_t place) const {
    const std::vector<int>& chain = chains_[host];
    if (known_ != nullptr) return (*known_)[static_cast<std::size_t>(chain[place])];
    const TreeNode node = node_of(host);
    TreeEnds ends;
    std::size_t child = 0;
    if (place > 0) ends.parent = chain[place - 1];
    if (place + 1 < chain.size()) ends.children[child++] = chain[place + 1];
    if (place == 0 && node.parent != no_rank) {
      const auto above = static_cast<std::size_t>(node.parent);
      const bool first = node_of(above).children[0] == static_cast<int>(host);
      ends.parent = chains_[above][door(above, first ? 0 : 1)];
    }
    for (std::size_t i = 0; i < node.children.size(); ++i)
      if (node.children[i] != no_rank && door(host, i) == place)
        ends.children[child++] = chains_[static_cast<std::size_t>(node.children[i])].front();
    return ends;
  }
  TreeEnds ends(int self) const {
    for (std::size_t host = 0; host < chains_.size(); ++host) {
      const auto at = std::ranges::find(chains_[host], self);
      if (at != chains_[host].end())
        return ends(host, static_cast<std::size_t>(at - chains_[host].begin()));
    }
    return {};
  }
  /// Adds `slot` to what each rank needs, once for each of its children.
  void add_slots(std::vector<std::size_t>& needed, std::size_t slot) const {
    for (std::size_t host = 0; host < chains_.size(); ++host)
      for (std::size_t place = 0; place < chains_[host].size(); ++place)
        for (const int child : ends(host, place).children)
          if (child != no_rank) needed[static_cast<std::size_t>(chains_[host][place])] += slot;
  }

 private:
  /// Place in its chain of the rank that talks to the host's child i.
  std::size_t door(std::size_t host, std::size_t i) const {
    return i == 0 && chains_[host].size() > 1 ? 1 : 0;
  }
  TreeNode node_of(std::size_t host) const {
    TreeNode node = tree_node(which_, static_cast<int>(host), static_cast<int>(chains_.size()));
    // The one child of a root counts as its second.
    if (node.parent == no_rank) std::swap(node.children[0], node.children[1]);
    return node;
  }

  Hosts chains_;
  int which_ = 0;
  const std::vector<TreeEnds>* known_ = nullptr;  ///< by rank
};

Tree tree_of(const Hosts& hosts, std::size_t channel, std::size_t channels,
             const Options& options) {
  if (options.trees != nullptr) return {hosts, (*options.trees)[channel % options.trees->size()]};
  const int index = static_cast<int>(channel);
  const bool second = is_second_tree(index, static_cast<int>(channels), options);
  return {chains_of(hosts, index, options), second ? 1 : 0};
}

struct Channel {
  Block block;
  TreeBranch branch;
};

Task channels_in_turn(Communicator comm, std::vector<Channel> channels) {
  bool launched = true;
  for (const Channel& channel : channels) {
    const Communicator block = comm.inside(channel.block);
    co_await block.begin_block(std::exchange(launched, false));
    std::vector<TreeBranch> branches(1, channel.branch);
    co_await up_and_down(block, std::move(branches));
    block.end_block();
  }
}

/// A rank's channels, with their slots in the scratch space.
std::vector<Channel> channels_of(Communicator comm, Workspace work, const Options& options) {
  const Hosts hosts = ranks_by_host(comm.size(), options.hosts);
  const std::vector<Range> parts = tree_parts(work.data, options);
  const std::size_t chunk = chunk_of(work.data.size, comm.size(), hosts.size(), options);
  std::vector<Channel> channels;
  std::vector<int> trees;
  for (std::size_t i = 0; i < parts.size(); ++i)
    trees.push_back(
        is_second_tree(static_cast<int>(i), static_cast<int>(parts.size()), options) ? 1 : 0);
  const std::vector<int> times = performed_for(comm, parts, trees, options);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (times[i] == 0) continue;
    const TreeEnds ends = tree_of(hosts, i, parts.size(), options).ends(comm.rank());
    const int index = static_cast<int>(i);
    channels.push_back(
        {{.channel = index, .protocol = protocol_named(options.protocol), .alike = times[i]},
         TreeBranch(index, ends, parts[i], segments_of(parts[i].size, chunk))});
    offset = channels.back().branch.place_slots(work.scratch, offset);
  }
  return channels;
}

Task channel_trees_allreduce(Communicator comm, Workspace work, Options options) {
  if (comm.size() == 1) co_return;
  std::vector<Channel> channels = channels_of(comm, work, options);
  if (channels.empty()) co_return;
  const std::size_t turns = options.sms > 0
                                ? std::min(channels.size(), static_cast<std::size_t>(options.sms))
                                : channels.size();
  std::vector<std::vector<Channel>> by_sm(turns);
  for (std::size_t i = 0; i < channels.size(); ++i)
    by_sm[i % turns].push_back(std::move(channels[i]));
  std::vector<Thread> others;
  for (std::size_t sm = 1; sm < turns; ++sm)
    others.push_back(comm.start(channels_in_turn(comm.beside(Beside::thread), std::move(by_sm[sm])),
                                Beside::thread));
  co_await channels_in_turn(comm, std::move(by_sm[0]));
  for (const Thread other : others) co_await comm.join(other);
}

Cost channel_trees_allreduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::size_t hosts = ranks_by_host(ranks, options.hosts).size();
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
  const Hosts hosts = ranks_by_host(ranks, options.hosts);
  const std::size_t chunk = chunk_of(items, ranks, hosts.size(), options);
  const std::vector<Range> parts = tree_parts({.size = items}, options);
  std::vector<std::size_t> needed(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < parts.size(); ++i)
    tree_of(hosts, i, parts.size(), options)
        .add_slots(needed, parts[i].part(0, segments_of(parts[i].size, chunk)).size);
  return std::ranges::max(needed);
}

}  // namespace

Algorithm describe_channel_trees_allreduce() {
  return {
      .collective = "allreduce",
      .name = "channel_trees",
      .summary = "trees of the blocks of a kernel, by one of NCCL's protocols",
      .options = {"protocol", "channels", "sms"},
      .threads_for =
          [](const Options& options) {
            const int channels = std::max(1, options.channels);
            return options.sms > 0 ? std::min(options.sms, channels) : channels;
          },
      .run = channel_trees_allreduce,
      .cost = channel_trees_allreduce_cost,
      .scratch_items = channel_trees_allreduce_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
