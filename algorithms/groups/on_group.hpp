// SPDX-License-Identifier: LGPL-2.1-or-later
// Any algorithm of the catalogue among the ranks of a group.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

struct KnownGroup;  // algorithms/groups/known_groups.hpp

/// Options without what is known of all ranks: their hosts, the orders of rings, NCCL's machine. On
/// a group these are others.
Options without_hosts(Options options);

/// The same with what is known of the first group of that name (Algorithm::groups), if anything.
Options options_of_group(Options options, std::string_view name);

/// The library's communicator of the group's ranks; null where none is known.
const KnownGroup* communicator_of(Communicator group, const Options& options);

/// The options with what that knows.
Options options_of(const KnownGroup& known, Options options);

/// Threads of a rank beside its streams, of which so many run collectives on groups at once.
int threads_of_groups(const Options& options, int streams);

/// Runs it with the hosts of the group's ranks, numbered as the group does, and as much of the
/// scratch space as it declares; where the options know its communicator, with its machine and
/// its channels. `options.hosts`: of all ranks. The algorithm is kept by its owner
/// while it runs.
Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options);

/// Scratch space that is enough for it on a group of so many ranks, whichever hosts these are on,
/// without NCCL's channels.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options);

}  // namespace ringscope
