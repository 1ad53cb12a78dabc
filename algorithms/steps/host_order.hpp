// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks grouped by host, and the orders that follow from it.
#pragma once

#include <memory>
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

}  // namespace ringscope
