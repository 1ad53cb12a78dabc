// SPDX-License-Identifier: LGPL-2.1-or-later
// From a cluster's YAML to its topology: one network family joining hosts of given types.
#pragma once

#include <string>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// A built and checked topology.
struct Cluster {
  std::string name;
  std::string about;           ///< one sentence, from the file
  std::string transport_name;  ///< of kernels' blocks between hosts: `link.kind`; "": nobody says
  Topology topology;
  Value resolved;  ///< its description, all defaults filled in
};

/// `value` is the name of a file in topologies/clusters (without .yaml), a path to a file, or the
/// cluster itself as a map. A map may say `base: NAME` and override single values of it.
/// Throws InputError.
Cluster read_cluster(const Value& value);

// Likely mistakes in the description of a cluster.

/// A sentence for each kind of value that is most likely a slip: a cable of 100 km, memory in bits,
/// sockets without a link.
std::vector<std::string> slips(const Topology& topology);

/// A sentence for each slip: of a unit, of a missing key, of a key that changes nothing. Each is
/// one that a simulation on the cluster silently answers for.
std::vector<std::string> slips(const Cluster& cluster);

/// Settings of the cluster that are known to go wrong, and its slips.
std::vector<std::string> warnings(const Cluster& cluster);

}  // namespace ringscope
