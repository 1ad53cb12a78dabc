// SPDX-License-Identifier: LGPL-2.1-or-later
// Connections of ranks to ranks of other hosts, which the progress engine polls one by one.
//
// Invariant: a run begins with those of a barrier by dissemination, 2 ceil(log2 H) - 1 on the H
// hosts of a job, for a run follows one; each further rank with which there is a message is more.

#include "algorithms/steps/tree_ranks.hpp"
#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {
namespace {

/// Partners of a rank in a barrier by dissemination that are on other hosts, where each host has
/// one rank: those 1, 2, 4, ... ranks ahead and behind, of which the last two may be one.
int partners(std::size_t hosts) { return std::max(1, 2 * doublings(static_cast<int>(hosts)) - 1); }

}  // namespace

void Mpi::count_connections() {
  Table<std::set<int>> hosts;  // by job
  for (int rank = 0; rank < machine_->ranks(); ++rank) {
    hosts.grown(machine_->jobs().index(rank)).insert(machine_->hosts()[rank]);
  }
  for (int rank = 0; rank < machine_->orbits().simulated; ++rank)
    process(rank).least_connections = partners(hosts[machine_->jobs().index(rank)].size());
}

void Mpi::connect(int rank, int peer, const Channel& channel) {
  if (counts_connections_ && channel.route().way == Way::network) process(rank).peers.insert(peer);
}

// How many are open beyond one.
int Mpi::further_connections(int rank) {
  const Process& mine = process(rank);
  return std::max(mine.least_connections, static_cast<int>(mine.peers.size())) - 1;
}

}  // namespace ringscope::sim
