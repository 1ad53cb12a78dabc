// SPDX-License-Identifier: LGPL-2.1-or-later
// Proof that the hosts of a placement may change places and nothing else changes.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenarios/question/nccl_communicators.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/fabric.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

// Proof that the hosts of a part of a network, a cell, may change places with those of the others:
// of leaves and spines the hosts of a leaf, of a fat tree perhaps those of a pod.
//
// Ranks of a cell, moved by as many as there are of them, make those of the next one. Every way on
// which a rank sends to another is looked at, by the very route that its messages take, chosen
// among equal ones or not. A link that stands at some place of one of them comes, as the ranks
// move, to the link at the same place of the moved one: that has to be one link, whichever way was
// looked at, which no other link comes to, and has to be as fast and as far. So whatever uses a
// link uses the next one when it has moved, and nothing else does. Answers, which take no rate,
// have to come as far.

/// Fewest ranks, of whole hosts, after which ways from host to host are as long again, all around;
/// all ranks where none are. Requires `n` ranks on each host.
int ranks_of_cell(const Scenario& scenario, int n);

/// Ranks of the first cell with those that they talk to, as a distance, modulo all; true where they
/// send to them, and do not only answer.
using Distances = std::map<std::pair<int, int>, bool>;

struct EqualCells {
  std::shared_ptr<const CellLinks> links;  ///< nothing where no message goes from switch to switch
  std::string reason;                      ///< why they are not equal; "" where they are
};

/// Requires equal hosts.
EqualCells equal_cells(const Scenario& scenario, const Orbits& orbits, const Distances& pairs);

// Proof that NCCL's communicators of groups, moved on with their ranks, are those of other groups.

/// Reason that some rank of a group, moved on, uses other NICs than the equivalent rank of the
/// group there; "" where all do.
std::string unequal_groups(const NcclGroups& groups, const Orbits& orbits);

/// The groups with their ranks as orbits number them. Requires an order.
std::shared_ptr<const NcclGroups> renumbered(const NcclGroups& groups, const Orbits& orbits);

// Hosts of a placement.

/// Reason that the first n ranks, moved by n again and again, do not come to other hosts, whole,
/// each to its place there; "" where they do.
std::string unequal_places(const Placement& placement, int n);

/// Reason that the hosts to which the first n ranks come so are not like theirs, part by part and
/// link by link, at the same switches where they are not cells (equal_cells.cpp); "" where they
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
