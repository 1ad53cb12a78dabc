// SPDX-License-Identifier: LGPL-2.1-or-later
// Links that carry less than they should, or nothing: a cable that has lost lanes, a port that fell
// back, one that is dead.
#pragma once

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Reads `degraded: [{link: host2/nic0->switch, share: 0.5}, ...]` of a cluster: both directions of
/// the link keep this share of their bandwidth. `rack0/switch->core` names all cables between the
/// two, `rack0/switch->core#2` one of them. With `share: 0` they are not there; the topology must
/// hold together without them.
void read_degraded(const Value& list, Topology& topology);

}  // namespace ringscope
