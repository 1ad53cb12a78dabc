// SPDX-License-Identifier: LGPL-2.1-or-later
// The groups of a job: `groups: {order: tp-dp-pp, tp: 8, pp: 2}`, or by lists of ranks.
#pragma once

#include "algorithms/steps/grid.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Reads `groups` of the job: the kinds tp, cp, dp and pp, each by the number of ranks in a group
/// (innermost first in `order`), or all by lists of groups. What is left out has groups of one
/// rank, but dp has what is left. Throws InputError.
Grid read_groups(Fields& job, int ranks);

}  // namespace ringscope
