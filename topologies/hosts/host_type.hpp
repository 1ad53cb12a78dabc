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

using MakeHost = std::function<BuiltHost(Topology&, const std::string& host_name)>;
/// Reads `fields` (its own keys; the caller finishes them) once, and returns the maker of hosts.
using ReadHost = MakeHost(Fields& fields);

/// A host type: hosts/<name>.cpp, its name in hosts.hpp, and its row in host_types().
struct HostType {
  std::string name;
  std::string summary;
  ReadHost* read;
};

std::span<const HostType> host_types();

}  // namespace ringscope
