// SPDX-License-Identifier: LGPL-2.1-or-later
// NICs that a GPU uses, where several are equally near; names of NICs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Name of a NIC on its host: "nic1", or that of its interface.
std::string nic_name(const Topology& topology, Vertex nic);

/// NICs of the component's host with the fewest links to it, in the order of their indices.
std::vector<Vertex> nearest_nics(const Topology& topology, Vertex component);

/// GPUs with the same nearest NICs take them in turn, as NCCL has it (src/graph/topo.cc,
/// ncclTopoGetLocalNet). Nothing where only one is nearest, or none is there.
std::optional<Vertex> nic_in_turn(const Topology& topology, Vertex gpu);

}  // namespace ringscope
