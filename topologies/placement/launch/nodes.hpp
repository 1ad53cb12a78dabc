// SPDX-License-Identifier: LGPL-2.1-or-later
// A placement host by host, as schedulers of whole nodes see it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "topologies/placement/placement.hpp"

namespace ringscope {

/// A host and what runs there. The first node is that of rank 0.
struct PlacedNode {
  int host = 0;
  std::string ranks;  ///< "0,1,2,3"
  std::string gpus;   ///< of these, in their order; "": they have none
  int count = 0;      ///< of these
};

inline std::vector<PlacedNode> nodes_of(const Placement& placement) {
  std::vector<PlacedNode> nodes;
  int number = 0;
  for (const Location& rank : placement.ranks) {
    auto node = std::ranges::find(nodes, rank.host, &PlacedNode::host);
    if (node == nodes.end()) node = nodes.insert(node, {rank.host, "", "", 0});
    const char* comma = node->ranks.empty() ? "" : ",";
    node->ranks += comma + std::to_string(number++);
    ++node->count;
    if (rank.gpu >= 0) node->gpus += comma + std::to_string(rank.gpu);
  }
  return nodes;
}

/// Most ranks of one of the nodes.
inline int most_ranks_of(const std::vector<PlacedNode>& nodes) {
  return std::ranges::max_element(nodes, {}, &PlacedNode::count)->count;
}

}  // namespace ringscope
