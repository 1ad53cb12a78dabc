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

#define OTHER(function, count)                                     \
  extern "C" int MPI_##function PARAMETERS(function, count) {      \
    Call call("other");                                            \
    const int result = call.over(LIBRARY(function) PASSED(count)); \
    if (call.counts()) call.word("call", "MPI_" #function);        \
    return result;                                                 \
  }                                                                \
  ALSO_AS_PMPI(function)

// One-sided
OTHER(Put, 8)
OTHER(Get, 8)
OTHER(Accumulate, 9)
OTHER(Win_fence, 2)
OTHER(Win_start, 3)
OTHER(Win_complete, 1)
OTHER(Win_wait, 1)
OTHER(Win_lock, 4)
OTHER(Win_unlock, 2)
OTHER(Win_unlock_all, 1)
OTHER(Win_flush, 2)
OTHER(Win_flush_all, 1)

// Among neighbours
OTHER(Neighbor_allgather, 7)
OTHER(Neighbor_alltoall, 7)
OTHER(Neighbor_alltoallv, 9)

// Processes that come later, and other jobs
OTHER(Comm_spawn, 8)
OTHER(Intercomm_create, 6)
