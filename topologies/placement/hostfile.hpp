// SPDX-License-Identifier: LGPL-2.1-or-later
// An MPI hostfile: one host a line, `name [slots=N]`, or `name:N`, with comments from # on.
#pragma once

#include <string>
#include <vector>

#include "topologies/graph/topology.hpp"

namespace ringscope {

struct HostSlots {
  int host = 0;   ///< index into the topology's hosts
  int slots = 0;  ///< as many as the host has cores where the file does not say
};

/// Slots in the order of the file. Throws InputError with the line of the hostfile.
std::vector<HostSlots> read_hostfile(const Value& path, const Topology& topology);

/// Sum over all NUMA domains of the host.
int cores_of(const Topology& topology, int host);
/// The index of the host of that name; throws InputError at `place` when there is none.
int host_of(const Topology& topology, const std::string& name, const Place& place);

}  // namespace ringscope
