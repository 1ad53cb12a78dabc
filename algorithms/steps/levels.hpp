// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank's part in a collective of two levels: inside its host, and between the hosts' leaders.
#pragma once

#include <optional>

#include "algorithms/steps/host_order.hpp"

namespace ringscope {

/// The groups of one rank.
struct Levels {
  Communicator inside;
  std::optional<Communicator> between;  ///< of the leaders, where this rank is one
};

/// A host's leader is its first rank; the host of `root` is led by `root`, which is the first in
/// both of its groups. Levels at work at the same time need different tags.
Levels levels_of(Communicator comm, const Options& options, int root = 0, int tag = 0);

/// Groups of one rank: the ranks of its host, and the ranks with its number on their hosts. If
/// hosts have different numbers of ranks: itself alone, and all ranks.
struct Rails {
  Communicator inside, between;
};

Rails rails_of(Communicator comm, const Options& options);

/// Options for one level: without the hosts, and without a third level with names of its own.
Options below(Options options);

/// Throws std::invalid_argument where there is none of that name.
const Algorithm& find_part(std::string_view collective, std::string_view name);

/// Spreads a result within a host.
const Algorithm& binomial_spread();

/// Runs a part with as much of the scratch space as it declares.
Task run_part(const Algorithm& algorithm, Communicator comm, Workspace work, Options options);

/// Cost of a collective that goes from the ranks of each host to their leaders by one part, on
/// between the leaders by another, and back into the hosts by a third. The steps are at best those
/// of the quickest host on each level, one after the other. `begin` may be null: nothing. `part`:
/// options of each of them.
Cost levels_cost(const HostGroups& groups, std::size_t items, const Options& part,
                 const Algorithm* begin, const Algorithm& between, const Algorithm& end);

/// The most that any of these needs.
std::size_t levels_scratch_items(const HostGroups& groups, std::size_t items, const Options& part,
                                 const Algorithm* begin, const Algorithm& between,
                                 const Algorithm& end);

}  // namespace ringscope
