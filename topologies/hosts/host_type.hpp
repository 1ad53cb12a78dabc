// SPDX-License-Identifier: LGPL-2.1-or-later
// Host types: their interface, and the list of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// NICs by which a new host joins the network.
struct BuiltHost {
  std::vector<Vertex> nics;  ///< at least one
};

/// A host type: hosts/<name>.cpp, its line in hosts.hpp, and its name in host_types().
struct HostType {
  std::string name;
  std::string summary;
  /// Reads `fields` (its own keys; the caller finishes them) once, and returns the maker of hosts.
  std::function<BuiltHost(Topology&, const std::string& host_name)> (*read)(Fields& fields);
};

std::span<const HostType> host_types();

}  // namespace ringscope
