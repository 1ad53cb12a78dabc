// SPDX-License-Identifier: LGPL-2.1-or-later
// From a cluster's YAML to its topology: one network family joining hosts of given types.
#pragma once

#include <string>

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

}  // namespace ringscope
