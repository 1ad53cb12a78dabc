// SPDX-License-Identifier: LGPL-2.1-or-later
// Proof that the hosts of a placement may change places and nothing else changes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "sim/machine/buffer_locations.hpp"

namespace ringscope::sim {

/// Reason that the first n ranks, moved by n again and again, do not come to other hosts, whole,
/// each to its place there; "" where they do.
std::string unequal_places(const Placement& placement, int n);

/// Reason that the hosts to which the first n ranks come so are not like theirs, part by part and
/// link by link, at the same switches where they are not cells (equal_cells.hpp); "" where they
/// are. Requires equal places.
std::string unequal_hosts(const Topology& topology, const Placement& placement, int n, bool cells);

/// Two ranks that talk, or one that works on its own data.
using Pair = std::pair<int, int>;

/// Routes of messages and of accesses to memory between two ranks, for one flow.
std::vector<Route> routes_of(const Scenario& scenario, const BufferLocations& buffer_locations,
                             Pair ranks, std::uint64_t flow);

/// Why routes may depend on rank numbers (ECMP), or on links that hosts share besides those to
/// their switches; "" where they do not.
std::string uncertain_routes(const Scenario& scenario, std::span<const Pair> pairs);

/// Ranks on the first host. Requires at least one rank.
int ranks_per_host(const Placement& placement);

}  // namespace ringscope::sim
