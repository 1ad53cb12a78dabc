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

}  // namespace ringscope
