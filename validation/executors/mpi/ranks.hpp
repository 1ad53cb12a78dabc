// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks of a communicator: how many, which one is this, and what each has to tell.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace ringscope::mpi {

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// One text per rank, on rank 0; none elsewhere. Collective.
std::vector<std::string> gather(MPI_Comm comm, const std::string& mine);

}  // namespace ringscope::mpi
