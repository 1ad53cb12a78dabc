// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/mpi/connections.hpp"

#include <algorithm>
#include <set>

#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope::sim {
namespace {

/// Partners of a rank in a barrier by dissemination that are on other hosts, where each host has
/// one rank: those 1, 2, 4, ... ranks ahead and behind, of which the last two may be one.
int partners(std::size_t hosts) { return std::max(1, 2 * doublings(static_cast<int>(hosts)) - 1); }

}  // namespace

Connections::Connections(const Machine& machine) {
  if (machine.scenario().library.transport(Way::network).connection_cost == Seconds(0)) return;
  peers_.resize(static_cast<std::size_t>(machine.orbits().simulated));
  std::vector<std::set<int>> hosts;  // by job
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    const auto job = static_cast<std::size_t>(machine.jobs().index(rank));
    if (job >= hosts.size()) hosts.resize(job + 1);
    hosts[job].insert(machine.hosts()[static_cast<std::size_t>(rank)]);
  }
  for (int rank = 0; rank < machine.orbits().simulated; ++rank)
    least_.push_back(partners(hosts[static_cast<std::size_t>(machine.jobs().index(rank))].size()));
}

void Connections::reset() {
  for (auto& peers : peers_) peers.clear();
}

int Connections::further(int rank) const {
  const auto place = static_cast<std::size_t>(rank);
  return std::max(least_[place], static_cast<int>(peers_[place].size())) - 1;
}

}  // namespace ringscope::sim
