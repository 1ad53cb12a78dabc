// SPDX-License-Identifier: LGPL-2.1-or-later
// Heads of hosts whose switch adds up and copies (NVLink SHARP): GPU h of each host sums chunk h of
// every round for its host, and with those of the other hosts in a tree for all.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "algorithms/steps/binary_trees.hpp"
#include "base/table.hpp"

namespace ringscope {

/// A rank's neighbours; no_rank where there is none.
struct SwitchRanks {
  Table<int> host;            ///< the ranks of its host
  int heads = 1;              ///< the first ones of each host
  int head = -1;              ///< which of them it is
  int parent = no_rank;       ///< the head of the same number on another host
  std::vector<int> children;  ///< likewise
  std::size_t depth = 0;      ///< hops from the root of the tree of hosts
  std::size_t levels = 0;     ///< hops from the root to the host that is farthest

  bool several_hosts() const { return levels > 0; }

  bool is_head() const { return head >= 0; }
  /// Ranks whose chunks come to it when no switch adds up.
  std::size_t sources() const { return is_head() ? host.size() - 1 + children.size() : 0; }
};

/// Heads of each host: as many as the smallest one has ranks.
inline int heads_of(const std::vector<std::vector<int>>& hosts) {
  std::size_t fewest = hosts.front().size();
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

}  // namespace ringscope
