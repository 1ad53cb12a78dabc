// SPDX-License-Identifier: LGPL-2.1-or-later
// Two binary trees over the same ranks, so that who has children in one is a leaf in the other:
// with half of the data in each, every rank sends and receives about as much as any other.
//
// The first tree numbers its nodes in order: odd numbers are leaves, and those that 2^k divides
// stand k levels above. Number 0 is the root and has one child. The second tree is the first one
// mirrored where the number of ranks is even, and turned by one where it is odd.
//
// Source: Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", Parallel Comput. 35 (2009); Jeaugey, "Massively scale your deep learning training with
// NCCL 2.4", 2019, whose trees these are.
#pragma once

#include <array>
#include <bit>

namespace ringscope {

inline constexpr int no_rank = -1;

struct TreeNode {
  int parent = no_rank;
  std::array<int, 2> children = {no_rank, no_rank};  ///< each may be missing
};

/// Neighbours of a rank in a tree whose nodes are several ranks each; each may be missing.
struct TreeEnds {
  int parent = no_rank;
  std::array<int, 3> children = {no_rank, no_rank, no_rank};
  bool operator==(const TreeEnds&) const = default;
};

/// Node of rank `self` in the first tree. Requires 0 <= self < ranks.
constexpr TreeNode in_order_node(int self, int ranks) {
  TreeNode node;
  int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))) / 2;
  if (self == 0) {
    if (ranks > 1) node.children[0] = half;
    return node;
  }
  const int bit = self & -self;
  const int above = (self ^ bit) | (bit << 1);
  node.parent = above < ranks ? above : self ^ bit;
  half = bit / 2;
  if (half == 0) return node;
  node.children[0] = self - half;
  while (half > 0 && self + half >= ranks) half /= 2;
  if (half > 0) node.children[1] = self + half;
  return node;
}

/// Node of rank `self` in tree 0 or 1.
constexpr TreeNode tree_node(int tree, int self, int ranks) {
  if (tree == 0) return in_order_node(self, ranks);
  const bool mirrored = ranks % 2 == 0;
  const auto there = [=](int rank) {
    return mirrored ? ranks - 1 - rank : (rank + ranks - 1) % ranks;
  };
  const auto back = [=](int number) {
    return number == no_rank ? no_rank : mirrored ? ranks - 1 - number : (number + 1) % ranks;
  };
  const TreeNode node = in_order_node(there(self), ranks);
  return {back(node.parent), {back(node.children[0]), back(node.children[1])}};
}

}  // namespace ringscope
