// SPDX-License-Identifier: LGPL-2.1-or-later
// A network's switches by their distance from the hosts, and what joins the levels.
#pragma once

#include <span>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

// Which hosts are near to each other in a network, level by level.

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

// Switches by their distance from the hosts.

/// The switches that are equally far from the nearest host. Of several numbers the smallest and the
/// largest of a switch stand beside each other.
struct NetworkLevel {
  int switches = 0;
  int hosts = 0;                ///< cables of hosts
  int down = 0, up = 0;         ///< cables to the level below and to that above
  int beside = 0;               ///< cables between two switches of the level
  double oversubscription = 0;  ///< bandwidth from below over that to above; 0: nothing is above
  double least = 0, most = 0;   ///< the same ratio, of one switch that has both
};

/// Level 0 is that of the switches with hosts. Switches that reach no host are left out.
std::vector<NetworkLevel> network_levels(const Topology& topology);

/// Flows that the hash which chooses among equal routes puts on each cable between switches.
struct RouteLoad {
  std::size_t flows = 0;  ///< those that pass such a cable
  int most = 0;           ///< on one cable, each direction by itself
  double mean = 0;        ///< over all of these cables and directions
};

/// Load by one flow from every host to the one half-way round, in the order of the hosts; by one
/// between every two hosts.
RouteLoad load_of_shift(const Topology& topology);
RouteLoad load_of_pairs(const Topology& topology);

/// The level of each component; -1 of what is no network switch, or reaches no host.
std::vector<int> levels_of_switches(const Topology& topology);

}  // namespace ringscope
