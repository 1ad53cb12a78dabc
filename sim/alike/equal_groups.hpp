// SPDX-License-Identifier: LGPL-2.1-or-later
// Proof that NCCL's communicators of groups, moved on with their ranks, are those of other groups.
#pragma once

#include <memory>
#include <string>

#include "scenarios/question/nccl_communicators.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

/// Reason that some rank of a group, moved on, does not go by the NICs by which the like rank goes
/// in the group there; "" where all do.
std::string unequal_groups(const NcclGroups& groups, const Orbits& orbits);

/// The groups with their ranks as orbits number them. Requires an order.
std::shared_ptr<const NcclGroups> renumbered(const NcclGroups& groups, const Orbits& orbits);

}  // namespace ringscope::sim
