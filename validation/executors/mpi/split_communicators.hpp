// SPDX-License-Identifier: LGPL-2.1-or-later
// Communicators of MPI's own for the groups into which a program splits its ranks.
#pragma once

#include <mpi.h>

#include <deque>
#include <mutex>
#include <vector>

#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"

namespace ringscope::mpi {

/// Those of one rank, for all its threads. A context of a tag is an index here, which other ranks
/// need not share: the communicator behind it is what MPI matches by.
class SplitCommunicators {
 public:
  explicit SplitCommunicators(MPI_Comm all) : all_(all) {}
  SplitCommunicators& operator=(SplitCommunicators&&) = delete;  ///< neither copied nor moved

  /// MPI_Comm_split; sets the call's group.
  void split(SplitCall& call);

  /// Where a message of this context goes: the communicator, and the peer's rank in it.
  struct Place {
    MPI_Comm comm;
    int peer;
  };
  /// `peer` of all ranks; any_source stays MPI_ANY_SOURCE.
  Place place(int peer, Tag tag);

  /// Frees them. Each rank calls it when its program is over.
  void clear();

 private:
  struct Member {
    MPI_Comm comm;
    SharedRanks ranks;  ///< of all, by rank in comm
    Table<int> index;   ///< rank in comm, by rank of all
  };
  MPI_Comm parent_of(const SplitCall& call);
  std::vector<int> ranks_of(MPI_Comm comm) const;

  MPI_Comm all_;
  std::deque<Member> members_;  ///< of context 1, 2, ...
  std::mutex adding_;
};

}  // namespace ringscope::mpi
