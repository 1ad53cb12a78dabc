// SPDX-License-Identifier: LGPL-2.1-or-later
// Sizes of collectives, as the calls' arguments tell them.
#pragma once

#include "validation/executors/mpi/record/handles.hpp"

namespace ringscope::record {

/// Bytes that a rank gives or takes; of the other buffer where MPI_IN_PLACE stands for this one.
struct Part {
  Part(int items, MPI_Datatype type) : bytes(bytes_of(items, type)) {}
  Part(const void* data, int items, MPI_Datatype type, int other_items, MPI_Datatype other)
      : bytes(data == MPI_IN_PLACE ? bytes_of(other_items, other) : bytes_of(items, type)) {}
  std::int64_t bytes;
};

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// "bytes=N", "root=R" where there is one, and the communicator.
void add_collective(Call& call, Part part, MPI_Comm comm, int root = -1);
/// "parts=3x1024,0": what goes to each rank in turn.
void add_parts(Call& call, const int counts[], MPI_Datatype type, MPI_Comm comm);
void add_parts(Call& call, const int counts[], const MPI_Datatype types[], MPI_Comm comm);

}  // namespace ringscope::record
