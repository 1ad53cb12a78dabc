// Links that carry less than they should: a cable that has lost lanes, a port that fell back.
#pragma once

#include "topologies/topology.hpp"

namespace ringscope {

/// Reads `degraded: [{link: host2/nic0->switch, share: 0.5}, ...]` of a cluster, where it stands:
/// both directions of the first link of that name have so much of their bandwidth left.
void read_degraded(Fields& fields, Topology& topology);

}  // namespace ringscope
