// SPDX-License-Identifier: LGPL-2.1-or-later
// The keys that every link has in a file.
#pragma once

#include "topologies/graph/topology.hpp"

namespace ringscope {

/// `bandwidth` and `latency`, both required; `send_bandwidth` and `receive_bandwidth` where one
/// direction differs; `both`, for the two directions together. Forward is sending: away from the
/// device or the host.
LinkPair read_link(Fields& fields);
/// The same; without the first two unlimited and at once.
LinkPair read_link_or_none(Fields& fields);
/// The same; without them as `by_default` is.
LinkPair read_link_or(Fields& fields, const LinkPair& by_default);

/// The pair with forward and backward exchanged.
LinkPair reversed(LinkPair pair);

// Links that carry less than they should, or nothing: a cable that has lost lanes, a port that fell
// back, one that is dead.

/// Reads `degraded: [{link: host2/nic0->switch, share: 0.5}, ...]` of a cluster: both directions of
/// the link keep this share of their bandwidth. `rack0/switch->core` names all cables between the
/// two, `rack0/switch->core#2` one of them. With `share: 0` they are not there; the topology must
/// hold together without them.
void read_degraded(const Value& list, Topology& topology);

}  // namespace ringscope
