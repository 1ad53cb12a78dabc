// A network's switches by their distance from the hosts, and what joins the levels.
#pragma once

#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// The switches that are equally far from the nearest host. Of several numbers the smallest and the
/// largest of a switch stand beside each other.
struct NetworkLevel {
  int switches = 0;
  int hosts = 0;                ///< cables of hosts
  int down = 0, up = 0;         ///< cables to the level below and to that above
  int beside = 0;               ///< cables between two switches of the level
  double oversubscription = 0;  ///< bandwidth from below over that to above; 0: nothing is above
  double least = 0, most = 0;   ///< likewise, of one switch that has both
};

/// Level 0 is that of the switches with hosts. Switches that reach no host are left out.
std::vector<NetworkLevel> network_levels(const Topology& topology);

/// The level of each component; -1 of what is no network switch, or reaches no host.
std::vector<int> levels_of_switches(const Topology& topology);

}  // namespace ringscope
