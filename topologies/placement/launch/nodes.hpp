// SPDX-License-Identifier: LGPL-2.1-or-later
// A placement host by host, as schedulers of whole nodes see it.
#pragma once

#include <algorithm>

#include "topologies/placement/launch/launch_formats.hpp"

namespace ringscope {

/// A host and what runs there. The first node is that of rank 0.
struct PlacedNode {
  int host = 0;
  std::vector<int> ranks{};
  std::vector<int> gpus{};  ///< of these, in their order; empty: they have none

  std::set<int> devices() const { return {gpus.begin(), gpus.end()}; }
};

inline std::vector<PlacedNode> nodes_of(const Placement& placement) {
  std::vector<PlacedNode> nodes;
  int number = 0;
  for (const Location& rank : placement.ranks) {
    auto node = std::ranges::find(nodes, rank.host, &PlacedNode::host);
    if (node == nodes.end()) node = nodes.insert(node, {rank.host});
    node->ranks.push_back(number++);
    if (rank.gpu >= 0) node->gpus.push_back(rank.gpu);
  }
  return nodes;
}

/// True if the ranks have all GPUs of the node, so that these have the numbers of the host.
inline bool takes_whole(const LaunchTask& launch, const PlacedNode& node) {
  return !launch.shared.contains(node.host) &&
         std::ssize(node.devices()) == std::ssize(launch.topology.hosts()[node.host].gpus);
}

/// The GPU of each rank of the node, as its process counts them: by the host's numbers, or from 0
/// in a container or an allocation that has but these.
inline std::vector<int> own_gpus(const LaunchTask& launch, const PlacedNode& node) {
  std::vector<int> own = node.gpus;
  const std::set<int> devices = node.devices();
  if (takes_whole(launch, node)) return own;
  for (int& gpu : own)
    gpu = static_cast<int>(std::ranges::count_if(devices, [&](int one) { return one < gpu; }));
  return own;
}

/// True if the nodes have equally many ranks, numbered one node after the other.
inline bool go_node_by_node(const std::vector<PlacedNode>& nodes) {
  return std::ranges::all_of(nodes, [&](const PlacedNode& node) {
    return node.ranks.size() == nodes.front().ranks.size() &&
           std::ssize(node.ranks) == 1 + node.ranks.back() - node.ranks.front();
  });
}

/// Most ranks of one of the nodes.
inline std::size_t most_ranks_of(const std::vector<PlacedNode>& nodes) {
  return std::ranges::max(each_of(nodes, [](const auto& node) { return node.ranks.size(); }));
}

}  // namespace ringscope
