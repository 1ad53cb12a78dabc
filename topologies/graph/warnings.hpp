// SPDX-License-Identifier: LGPL-2.1-or-later
// Warnings: settings that are allowed and known to go wrong.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// "host0, host1, host2 and 5 more"
std::string listed(const std::vector<std::string>& names);

/// Warnings of all kinds, in this order.
std::vector<std::string> together(std::initializer_list<std::vector<std::string>> kinds);

/// One sentence for each, naming the hosts; nothing when all is well.
std::vector<std::string> warnings(const Topology& topology);

/// The part of it about peer access with an IOMMU, which hangs.
std::vector<std::string> hanging_peers(const Topology& topology);

/// Bandwidth of the widest link from a NIC to its host (`inside`), or to the network.
Bandwidth widest_link(const Topology& topology, Vertex nic, bool inside);

}  // namespace ringscope
