// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks grouped by host, and the orders that follow from it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope {

/// The ranks of each host, rising; the hosts by their lowest rank, which is called its leader.
/// `hosts` has the host of each rank; null: each rank has one of its own.
std::vector<std::vector<int>> ranks_by_host(int ranks, const std::vector<int>* hosts);

/// The same as communicators take them, each list once for all ranks that are in it.
struct HostGroups {
  HostGroups(int ranks, const std::vector<int>* hosts);

  Table<SharedRanks> hosts;
  SharedRanks leaders;
  Table<SharedRanks> rails;  ///< n-th rank of each host; empty if hosts differ in size
  Table<int> host_of;        ///< of each rank: its index in `hosts`
};

/// Groups that the options hold ready for this number of ranks; else computed here.
std::shared_ptr<const HostGroups> host_groups(int ranks, const Options& options);

/// The order in which ring `ring` of `rings` visits the ranks of all hosts: host by host, the n of
/// one rotated by n * ring / rings, so that each ring enters and leaves a host by another rank, and
/// so by another NIC where each rank has one near it. Requires 0 <= ring < rings.
std::vector<int> ring_order(const std::vector<std::vector<int>>& hosts, int ring, int rings);

// A rank's part in a collective of two levels: inside its host, and between the hosts' leaders.

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

/// A collective that goes from the ranks of each host to their leaders by one part, on between the
/// leaders by another, and back into the hosts by a third. `begin` may be null: nothing.
struct LevelParts {
  const Algorithm* begin;
  const Algorithm& between;
  const Algorithm& end;
};

Task run_levels(Levels levels, LevelParts parts, Workspace work, Options part);

/// Its cost. The steps are at best those of the quickest host on each level, one after the other.
/// `part`: options of each of them.
Cost levels_cost(const HostGroups& groups, std::size_t items, const Options& part,
                 const LevelParts& parts);

/// The most scratch space that any of these needs.
std::size_t levels_scratch_items(const HostGroups& groups, std::size_t items, const Options& part,
                                 const LevelParts& parts);

/// The program of an algorithm whose parts are those that its options name.
template <LevelParts (*parts)(const Options&)>
Task on_levels(Communicator comm, Workspace work, Options options) {
  return run_levels(levels_of(comm, options, options.root), parts(options), work, below(options));
}
template <LevelParts (*parts)(const Options&)>
Cost cost_on_levels(int ranks, std::size_t items, Options options) {
  return levels_cost(*host_groups(ranks, options), items, below(options), parts(options));
}
template <LevelParts (*parts)(const Options&)>
std::size_t scratch_on_levels(int ranks, std::size_t items, Options options) {
  return levels_scratch_items(*host_groups(ranks, options), items, below(options), parts(options));
}
/// As alike as the part between the leaders is among them.
template <LevelParts (*parts)(const Options&)>
bool alike_on_levels(int ranks, std::size_t items, const Options& options) {
  const auto leaders = static_cast<int>(host_groups(ranks, options)->hosts.size());
  const Property between = parts(options).between.alike;
  return between != nullptr && between(leaders, items, below(options));
}

}  // namespace ringscope
