// SPDX-License-Identifier: LGPL-2.1-or-later
// Likely mistakes in the description of a cluster.
#pragma once

#include <string>
#include <vector>

#include "topologies/cluster.hpp"

namespace ringscope {

/// A sentence for each kind of value that is most likely a slip: a cable of 100 km, memory in bits,
/// sockets without a link.
std::vector<std::string> slips(const Topology& topology);

/// A sentence for each slip: of a unit, of a missing key, of a key that changes nothing. Each is
/// one that a simulation on the cluster silently answers for.
std::vector<std::string> slips(const Cluster& cluster);

/// Settings of the cluster that are known to go wrong, and its slips.
std::vector<std::string> warnings(const Cluster& cluster);

}  // namespace ringscope
