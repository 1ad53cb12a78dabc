// SPDX-License-Identifier: LGPL-2.1-or-later
// Accounts of a trace: what became of each node.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ringscope {

/// Nodes of one kind, of which one thing was made.
struct NodeCount {
  std::string kind;  ///< as the file calls it
  std::string as;    ///< what they are in the simulation
  std::size_t count = 0;
  bool ignored = false;  ///< they take no time, though they may have
};

class NodeCounts {
 public:
  void add(std::string kind, std::string as, bool ignored = false) {
    const auto found = std::ranges::find_if(
        counts_, [&](const NodeCount& one) { return one.kind == kind && one.as == as; });
    if (found != counts_.end())
      ++found->count;
    else
      counts_.push_back({std::move(kind), std::move(as), 1, ignored});
  }
  /// In the order in which they first came.
  const std::vector<NodeCount>& all() const { return counts_; }

 private:
  std::vector<NodeCount> counts_;
};

}  // namespace ringscope
