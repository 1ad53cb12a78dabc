// SPDX-License-Identifier: LGPL-2.1-or-later
// The groups of a program: `{order: tp-dp-pp, tp: 8, pp: 2}`, or by lists of ranks.
#pragma once

#include <vector>

#include "algorithms/programs/groups.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

struct ProgramGroups {
  Table<programs::GroupKind> kinds;  ///< the first one, `all`, has all ranks
  Grid grid;                         ///< of those by their sizes
};

/// Reads `groups` of the job. A kind is a size, and then a dimension of a grid of all ranks, nested
/// as `order` says, innermost first; or a list of ranks, which is one group; or a list of lists,
/// which hold each rank once. Throws InputError.
ProgramGroups read_program_groups(Fields& job, int ranks);

}  // namespace ringscope
