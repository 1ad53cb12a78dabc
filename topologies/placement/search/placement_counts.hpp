// SPDX-License-Identifier: LGPL-2.1-or-later
// Number of placements, by generating functions: it is too large to count out.
#pragma once

#include <vector>

#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

/// The bins' capacities of one host, and how many ranks it takes.
struct HostRoom {
  std::vector<int> bins;
  int slots = 0;
  bool operator==(const HostRoom&) const = default;
};

/// Ways to give each rank a core of its own, under rules that all hosts share.
Count count_placements(const std::vector<HostRoom>& hosts, const PlacementRules& rules);

}  // namespace ringscope
