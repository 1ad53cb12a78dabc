// Any algorithm of the catalogue among the ranks of a group.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// Options without what is known of all ranks: their hosts, and the orders of rings. On a group
/// these are others.
Options without_hosts(Options options);

/// Runs it with the hosts of the group's ranks, numbered as the group does, and as much of the
/// scratch space as it declares. `options.hosts`: of all ranks. The algorithm is kept by its owner
/// while it runs.
Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options);

/// Scratch space that is enough for it on a group of so many ranks, whichever hosts these are on.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options);

}  // namespace ringscope
