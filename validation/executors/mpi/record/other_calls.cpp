// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls that begin and end a program; and those that move data, and of which only the name and
// the time are recorded.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "validation/executors/mpi/record/recorder.hpp"

namespace {

using ringscope::record::Call;
using ringscope::record::recorder;

#ifdef OPEN_MPI
constexpr const char* made_for = "Open MPI";
#else
constexpr const char* made_for = "MPICH";
#endif

/// Handles of one MPI mean nothing to another one: a program that is linked with that one would
/// crash in its first call. This call alone has the same form in all.
void require_same_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING > 8192 ? MPI_MAX_LIBRARY_VERSION_STRING : 8192] = {};
  int length = 0;
  PMPI_Get_library_version(text, &length);
  if (std::strncmp(text, made_for, std::strlen(made_for)) == 0) return;
  text[std::strcspn(text, ",:\t\n")] = '\0';
  std::fprintf(stderr,
               "ringscope-mpi record: the program is linked with %s, and this recorder is for %s: "
               "take the one that was built for it (ringscope-mpich, ringscope-openmpi)\n",
               text, made_for);
  std::exit(1);
}

}  // namespace

extern "C" int MPI_Init(int* count, char*** words) {
  require_same_library();
  const int result = LIBRARY(Init)(count, words);
  if (result == MPI_SUCCESS) recorder().begin();
  return result;
}
ALSO_AS_PMPI(Init)

extern "C" int MPI_Init_thread(int* count, char*** words, int wanted, int* provided) {
  require_same_library();
  const int result = LIBRARY(Init_thread)(count, words, wanted, provided);
  if (result == MPI_SUCCESS) recorder().begin();
  return result;
}
ALSO_AS_PMPI(Init_thread)

extern "C" int MPI_Finalize() {
  {
    Call call("finalize");
    call.over(MPI_SUCCESS);
  }
  if (recorder().is_on()) recorder().end();
  return LIBRARY(Finalize)();
}
ALSO_AS_PMPI(Finalize)

extern "C" int MPI_Abort(MPI_Comm comm, int code) {
  recorder().flush();
  return LIBRARY(Abort)(comm, code);
}
ALSO_AS_PMPI(Abort)

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
