// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that move data, and of which only the name and the time are recorded.
#include "validation/executors/mpi/record/recorder.hpp"

using ringscope::record::Call;

#define OTHER(function, declared, passed)                   \
  extern "C" int MPI_##function declared {                  \
    Call call("other");                                     \
    const int result = call.over(LIBRARY(function) passed); \
    if (call.counts()) call.word("call", "MPI_" #function); \
    return result;                                          \
  }                                                         \
  ALSO_AS_PMPI(function)

// One-sided
#define MOVES(function, data_type)                                                             \
  OTHER(function,                                                                              \
        (data_type data, int count, MPI_Datatype type, int rank, MPI_Aint at, int there_count, \
         MPI_Datatype there_type, MPI_Win window),                                             \
        (data, count, type, rank, at, there_count, there_type, window))
MOVES(Put, const void*)
MOVES(Get, void*)
OTHER(Accumulate,
      (const void* data, int count, MPI_Datatype type, int rank, MPI_Aint at, int there_count,
       MPI_Datatype there_type, MPI_Op op, MPI_Win window),
      (data, count, type, rank, at, there_count, there_type, op, window))
OTHER(Win_fence, (int assertion, MPI_Win window), (assertion, window))
OTHER(Win_start, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
OTHER(Win_complete, (MPI_Win window), (window))
OTHER(Win_wait, (MPI_Win window), (window))
OTHER(Win_lock, (int type, int rank, int assertion, MPI_Win window),
      (type, rank, assertion, window))
OTHER(Win_unlock, (int rank, MPI_Win window), (rank, window))
OTHER(Win_unlock_all, (MPI_Win window), (window))
OTHER(Win_flush, (int rank, MPI_Win window), (rank, window))
OTHER(Win_flush_all, (MPI_Win window), (window))

// Among neighbours
OTHER(Neighbor_allgather,
      (const void* data, int count, MPI_Datatype type, void* into, int into_count,
       MPI_Datatype into_type, MPI_Comm comm),
      (data, count, type, into, into_count, into_type, comm))
OTHER(Neighbor_alltoall,
      (const void* data, int count, MPI_Datatype type, void* into, int into_count,
       MPI_Datatype into_type, MPI_Comm comm),
      (data, count, type, into, into_count, into_type, comm))
OTHER(Neighbor_alltoallv,
      (const void* data, const int counts[], const int places[], MPI_Datatype type, void* into,
       const int into_counts[], const int into_places[], MPI_Datatype into_type, MPI_Comm comm),
      (data, counts, places, type, into, into_counts, into_places, into_type, comm))

// Processes that come later, and other jobs
OTHER(Comm_spawn,
      (const char* program, char* words[], int count, MPI_Info info, int root, MPI_Comm comm,
       MPI_Comm* made, int errors[]),
      (program, words, count, info, root, comm, made, errors))
OTHER(Intercomm_create,
      (MPI_Comm local, int leader, MPI_Comm bridge, int other_leader, int tag, MPI_Comm* made),
      (local, leader, bridge, other_leader, tag, made))
