// SPDX-License-Identifier: LGPL-2.1-or-later
// Tree of one of NCCL's channels: a chain of the ranks on each host, and one of two binary trees
// over the hosts.
//
// Source: NCCL 2.30.7, src/graph/connect.cc, connectTrees.
#pragma once

#include <algorithm>

#include "algorithms/steps/binary_trees.hpp"
#include "base/table.hpp"

namespace ringscope::nccl {

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

}  // namespace ringscope::nccl
