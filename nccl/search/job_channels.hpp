// SPDX-License-Identifier: LGPL-2.1-or-later
// The rings and trees that NCCL builds for a job: the channels of each host, joined over hosts.
#pragma once

#include <algorithm>
#include <compare>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/steps/binary_trees.hpp"
#include "base/table.hpp"
#include "nccl/search/channels_of_host.hpp"

namespace ringscope::nccl {

// Tree of one of NCCL's channels: a chain of the ranks on each host, and one of two binary trees
// over the hosts.
//
// Source: NCCL 2.30.7, src/graph/connect.cc, connectTrees.

class ChainTree {
 public:
  /// `chains`: ranks of each host in order, at least one. `branches`: where in its chain the first
  /// child of each host hangs; the second hangs below the first rank.
  ChainTree(Table<Table<int>> chains, Table<int> branches, int which)
      : chains_(std::move(chains)), branches_(std::move(branches)), which_(which) {}

  /// Neighbours of one rank; none where it is in no chain.
  TreeEnds ends(int rank) const {
    for (int host = 0; const Table<int>& chain : chains_) {
      const auto at = std::ranges::find(chain, rank);
      if (at != chain.end()) return ends(host, static_cast<int>(at - chain.begin()));
      ++host;
    }
    return {};
  }

  /// Neighbours of all ranks, whose numbers begin with 0, by rank.
  Table<TreeEnds> all() const {
    std::size_t ranks = 0;
    for (const Table<int>& chain : chains_) ranks += chain.size();
    Table<TreeEnds> all(ranks);
    for (int host = 0; host < std::ssize(chains_); ++host)
      for (int place = 0; place < std::ssize(chains_[host]); ++place)
        all[chains_[host][place]] = ends(host, place);
    return all;
  }

 private:
  TreeEnds ends(int host, int place) const {
    const Table<int>& chain = chains_[host];
    const TreeNode node = node_of(host);
    TreeEnds ends;
    if (place > 0) {
      ends.parent = chain[place - 1];
    } else if (node.parent != no_rank) {
      const bool first = node_of(node.parent).children[0] == host;
      ends.parent = chains_[node.parent][first ? branches_[node.parent] : 0];
    }
    auto child = ends.children.begin();
    if (place + 1 < std::ssize(chain)) *child++ = chain[place + 1];
    if (node.children[0] != no_rank && place == branches_[host])
      *child++ = chains_[node.children[0]].front();
    if (node.children[1] != no_rank && place == 0) *child++ = chains_[node.children[1]].front();
    return ends;
  }

  TreeNode node_of(int host) const {
    TreeNode node = tree_node(which_, host, static_cast<int>(chains_.size()));
    // NCCL counts the one child of a root as its second.
    if (node.parent == no_rank) std::swap(node.children[0], node.children[1]);
    return node;
  }

  Table<Table<int>> chains_;
  Table<int> branches_;
  int which_;
};

// The rings and trees of a job.

struct GpuPlace {
  int host = 0, gpu = 0;  ///< its number in the host
  auto operator<=>(const GpuPlace&) const = default;
};

/// Host-local indices of the NICs by which data enter and leave, and of the GPU that relays what
/// leaves; -1: none. A rank inside its host's part of a ring has none.
struct ChannelNics {
  int in = -1, out = -1, relay = -1;
  bool operator==(const ChannelNics&) const = default;
};

/// One host's share; hosts that are alike have the same `found`.
struct HostShare {
  int host = 0;
  Table<int> ranks;  ///< of each GPU of the graph
  struct Search {
    HostGraph graph;
    HostChannels channels;
  };
  std::shared_ptr<const Search> found;
};

/// Rings and trees by channel, which run beside each other, each with its share of the bytes.
struct JobChannels {
  Table<Table<int>> rings;         ///< ranks in order, rank 0 first
  Table<Table<ChannelNics>> nics;  ///< of each ring, by rank; none on one host
  Table<Table<TreeEnds>> trees;    ///< of each, by rank
  int multicast = 0;               ///< channels by NVSwitch; 0: not to be had
  std::vector<HostShare> hosts;    ///< in the order of their first ranks
  bool logged = false;             ///< NCCL wrote them down; no search found them
};

using FindOfHost = std::function<HostChannels(const HostGraph&)>;

/// Channels of ranks on GPUs, in their order. Requires that no two share one.
///
/// Source: NCCL 2.31, src/graph/connect.cc: a ring goes through the hosts one after the other and
/// each channel is doubled; between hosts the channels' first half are the one and the second half
/// the other of two binary trees (algorithms/steps/binary_trees.hpp).
///
/// `of_host` is asked once for all hosts that are alike.
JobChannels find_channels(const Topology& topology, std::span<const GpuPlace> ranks,
                          const FindOfHost& of_host = channels_of_host);

}  // namespace ringscope::nccl
