// SPDX-License-Identifier: LGPL-2.1-or-later
// Connections of ranks to ranks of other hosts, which the progress engine polls one by one.
//
// Invariant: a run begins with those of a barrier by dissemination, 2 ceil(log2 H) - 1 on the H
// hosts of a job, for a run follows one; each further rank with which there is a message is more.
#pragma once

#include <boost/container/flat_set.hpp>
#include <vector>

#include "sim/machine/machine.hpp"

namespace ringscope::sim {

class Connections {
 public:
  /// Nothing is counted where no transport has a cost for it.
  explicit Connections(const Machine& machine);

  bool counted() const { return !peers_.empty(); }
  /// A run begins.
  void reset();
  /// There is a message between the rank, a simulated one, and a rank of another host.
  void open(int rank, int peer) { peers_[static_cast<std::size_t>(rank)].insert(peer); }
  /// How many are open beyond one. Requires counted().
  int further(int rank) const;

 private:
  // By rank, of the simulated ones:
  std::vector<int> least_;
  std::vector<boost::container::flat_set<int>> peers_;
};

}  // namespace ringscope::sim
