// SPDX-License-Identifier: LGPL-2.1-or-later
// Which hosts are near to each other in a network, level by level.
#pragma once

#include <span>
#include <vector>

#include "base/table.hpp"
#include "base/view.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Neighbourhood of each host, by a number, level by level: of level n are hosts that switches of
/// levels up to n join, 0 being that of the hosts' own switches. On a tree of leaves below spines:
/// the leaves, then all. Hosts that are joined by cables much wider than their others are a level
/// below these: the domain of NVLinks between hosts.
Table<Table<int>> neighbourhoods(const Topology& topology);

/// Hosts in an order in which neighbours stand together, as few neighbourhoods as can be at each
/// level, until `ranks` have room on them; host i takes up to room[i]. All that have any where
/// there is too little.
std::vector<int> near_hosts(const Table<Table<int>>& levels, View<const int> room, int ranks);

/// Number of ranks whose next one, of the last the first, sits on a host that has no switch in
/// common with theirs.
int crossings(const Topology& topology, std::span<const int> host_of_rank);

}  // namespace ringscope
