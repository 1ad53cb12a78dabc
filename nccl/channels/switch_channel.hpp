// SPDX-License-Identifier: LGPL-2.1-or-later
// One channel of an allreduce by switches that add up: its rounds, the places of what comes in, and
// when which stage of a round has its turn.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "algorithms/steps/binary_trees.hpp"
#include "algorithms/verbs/range.hpp"
#include "base/table.hpp"
#include "nccl/channels/channel_chunks.hpp"
#include "nccl/search/channels_of_host.hpp"

namespace ringscope {

// Messages of a kernel's blocks that the switch of a host adds up, or copies, beside those that it
// passes on; and the rounds of a block, several of which are in flight.
//
// Source: NCCL 2.30.7, src/device/all_gather.h and reduce_scatter.h, NCCL_ALGO_NVLS; of the chunks
// src/enqueue.cc, calcCollChunking.

/// Rounds that a stage may be ahead of the next one.
inline constexpr std::size_t rounds_ahead = 4;

/// The block as it is with messages that the switch treats so: those of `others` ranks are one.
inline Communicator by_switch(Communicator comm, Block block, Switch by, int others) {
  block.by = by;
  block.together = std::max(1, others);
  return comm.inside(block);
}

/// Items that a GPU offers, or sends, at once: shorter vectors have fewer.
inline std::size_t switch_piece(int ranks, std::size_t items, const Options& options) {
  const std::size_t bytes = items * options.given.item_bytes;
  const std::size_t at_once =
      static_cast<std::size_t>(std::max(1, options.channels)) * static_cast<std::size_t>(ranks);
  std::size_t piece = 128 << 10;
  const auto no_more = [&](std::size_t most, std::size_t pieces) {
    if (bytes < pieces * at_once * piece && piece > most) piece = most;
  };
  no_more(64 << 10, 64);
  no_more(32 << 10, 8);
  no_more(16 << 10, 2);
  return std::max<std::size_t>(1, piece / options.given.item_bytes);
}

/// With R pieces of a chunk in all channels together: P(P-1)R messages, (P-1)S items on the wire;
/// at least (P-1)R steps, as each rank receives that many.
inline Cost switch_rounds_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const std::int64_t received =
      (ranks - 1) * count_pieces(channel_chunks(ranks, {.size = items}, options),
                                 switch_piece(ranks, items, options));
  return {.steps = received,
          .messages = ranks * received,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

// Heads of hosts whose switch adds up and copies (NVLink SHARP): GPU h of each host sums chunk h of
// every round for its host, and with those of the other hosts in a tree for all.

/// A rank's neighbours; no_rank where there is none.
struct SwitchRanks {
  Table<int> host;            ///< the ranks of its host
  Table<int> others;          ///< places of the others there, from the one behind it on
  int heads = 1;              ///< the first ones of each host
  int head = -1;              ///< which of them it is
  int parent = no_rank;       ///< the head of the same number on another host
  std::vector<int> children;  ///< heads of the same number on other hosts
  std::size_t depth = 0;      ///< hops from the root of the tree of hosts
  std::size_t levels = 0;     ///< hops from the root to the host that is farthest

  bool several_hosts() const { return levels > 0; }

  bool is_head() const { return head >= 0; }
  /// Ranks whose chunks come to it when no switch adds up.
  std::size_t sources() const { return is_head() ? host.size() - 1 + children.size() : 0; }
};

/// Heads of each host: as many as the smallest one has ranks, or as there may be.
inline int heads_of(const std::vector<std::vector<int>>& hosts) {
  std::size_t fewest = nccl::most_heads;
  for (const auto& host : hosts) fewest = std::min(fewest, host.size());
  return static_cast<int>(fewest);
}

/// Hops to the root of one of the two trees of hosts.
inline std::size_t depth_of(int tree, int host, int hosts) {
  std::size_t depth = 0;
  for (int at = host; at != no_rank; at = tree_node(tree, at, hosts).parent) ++depth;
  return depth - 1;
}

/// Neighbours of the rank in that place of a host's list. Of two trees of hosts channels take
/// turns.
inline SwitchRanks switch_ranks(const Table<std::vector<int>>& hosts, std::size_t host,
                                std::size_t place, int channel) {
  SwitchRanks result;
  result.host = hosts[host];
  for (std::size_t i = 1; i < result.host.size(); ++i)
    result.others.push_back(static_cast<int>((place + i) % result.host.size()));
  result.heads = heads_of(hosts);
  const int all = static_cast<int>(hosts.size()), tree = channel % 2;
  result.levels = std::bit_width(hosts.size() - 1);
  result.depth = depth_of(tree, static_cast<int>(host), all);
  if (static_cast<int>(place) >= result.heads) return result;
  result.head = static_cast<int>(place);
  const TreeNode node = tree_node(tree, static_cast<int>(host), all);
  const auto head_of = [&](int other) { return hosts[other][place]; };
  if (node.parent != no_rank) result.parent = head_of(node.parent);
  for (const int child : node.children)
    if (child != no_rank) result.children.push_back(head_of(child));
  return result;
}

/// Host and place of a rank that is on one of the hosts.
inline std::pair<std::size_t, std::size_t> place_of(const std::vector<std::vector<int>>& hosts,
                                                    int rank) {
  for (std::size_t host = 0; host < hosts.size(); ++host)
    if (const auto at = std::ranges::find(hosts[host], rank); at != hosts[host].end())
      return {host, static_cast<std::size_t>(at - hosts[host].begin())};
  return {};
}

inline constexpr std::size_t rounds_of_a_hop = 2;  ///< between the two ends of a hop of the tree

/// One channel of a rank.
struct SwitchChannel {
  int index = 0;
  /// Copies overtake what is added up, and come from the same rank.
  int tag_of_copies = 0;
  int alike = 1;  ///< channels for which it is performed
  SwitchRanks ranks;
  std::vector<Range> rounds;
  Range scratch;  ///< from its first slot on

  int others() const { return static_cast<int>(ranks.host.size()) - 1; }
  Range chunk_of_head(std::size_t round, int head) const {
    return Chunks(rounds[round], ranks.heads)[head];
  }
  /// The chunk that the rank sums; empty where it is no head.
  Range own_chunk(std::size_t round) const {
    return ranks.is_head() ? chunk_of_head(round, ranks.head) : Range();
  }
  /// Places of what comes to a head from the other ranks of its host, and from its children.
  std::vector<Range> from_host(std::size_t round) const {
    return places(round, 0, ranks.is_head() ? others() : 0);
  }
  std::vector<Range> from_children(std::size_t round) const {
    return places(round, others(), static_cast<int>(ranks.children.size()));
  }
  /// Rounds that are as long as the first.
  int whole_rounds() const {
    const bool cut = !rounds.empty() && rounds.back().size < rounds.front().size;
    return static_cast<int>(rounds.size()) - (cut ? 1 : 0);
  }
  /// Items of scratch that it needs.
  std::size_t slots() const {
    return slots(std::min<std::size_t>(rounds.size(), rounds_ahead + 1));
  }

 private:
  /// Items for `count` rounds, each of which leaves its slots to one that is `rounds_ahead` + 1
  /// later and no longer.
  std::size_t slots(std::size_t count) const {
    std::size_t items = 0;
    for (std::size_t round = 0; round < count; ++round)
      items += ranks.sources() * own_chunk(round).size;
    return items;
  }
  std::vector<Range> places(std::size_t round, int first, int count) const {
    const std::size_t same = round % (rounds_ahead + 1), each = own_chunk(same).size;
    std::vector<Range> all;
    for (int i = first; i < first + count; ++i)
      all.push_back({scratch.buffer,
                     scratch.offset + slots(same) + static_cast<std::size_t>(i) * each, each});
    return all;
  }
};

/// Steps after a round's offers at which its next stages come.
struct SwitchStages {
  explicit SwitchStages(const SwitchRanks& ranks) {
    const std::size_t wait = ranks.several_hosts() ? rounds_ahead : 0;
    const std::size_t top = summed + wait + rounds_of_a_hop * ranks.levels;
    up = top - rounds_of_a_hop * ranks.depth;
    asked = up - rounds_ahead;
    down = top + rounds_of_a_hop * ranks.depth;
    sent = down - rounds_of_a_hop;
    ended = down + rounds_ahead;
  }

  std::size_t summed = rounds_ahead;  ///< what the ranks of the host offer
  std::size_t asked = 0;              ///< the children, for their hosts' sums
  std::size_t up = 0;                 ///< those are added, and all goes to the parent
  std::size_t sent = 0;               ///< it has gone, and the sum of all may come
  std::size_t down = 0;               ///< that goes to the children and to the host
  std::size_t ended = 0;
};

}  // namespace ringscope
