// SPDX-License-Identifier: LGPL-2.1-or-later
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
#pragma once

#include <map>
#include <memory>
#include <string>

#include "scenarios/question/nccl_communicators.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

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

}  // namespace ringscope::sim
