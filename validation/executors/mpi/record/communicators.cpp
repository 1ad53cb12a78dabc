// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that make communicators.
#include "validation/executors/mpi/record/handles.hpp"

namespace {

using ringscope::record::Call;
using ringscope::record::communicators;
using ringscope::record::recorder;

/// "gives=N", or "gives=none" on a rank that is no member. `like`: as of Communicators::add.
void add_made(Call& call, MPI_Comm parent, MPI_Comm made, MPI_Comm like) {
  if (!call.counts()) return;
  const std::lock_guard lock(recorder().mutex);
  if (made == MPI_COMM_NULL)
    call.word("gives", "none");
  else
    call.number("gives", communicators().add(made, like));
  call.communicator(parent);
}

}  // namespace

// Each has its new communicator last.
#define MAKES(function, name, declared, passed)             \
  extern "C" int MPI_##function declared {                  \
    Call call(name);                                        \
    const int result = call.over(LIBRARY(function) passed); \
    add_made(call, parent, *made, *made);                   \
    return result;                                          \
  }                                                         \
  ALSO_AS_PMPI(function)

MAKES(Comm_dup, "dup", (MPI_Comm parent, MPI_Comm* made), (parent, made))
MAKES(Comm_dup_with_info, "dup", (MPI_Comm parent, MPI_Info info, MPI_Comm* made),
      (parent, info, made))
MAKES(Comm_create, "create", (MPI_Comm parent, MPI_Group group, MPI_Comm* made),
      (parent, group, made))
MAKES(Comm_create_group, "create_group",
      (MPI_Comm parent, MPI_Group group, int tag, MPI_Comm* made), (parent, group, tag, made))
MAKES(Comm_split, "split", (MPI_Comm parent, int colour, int key, MPI_Comm* made),
      (parent, colour, key, made))
MAKES(Comm_split_type, "split", (MPI_Comm parent, int type, int key, MPI_Info info, MPI_Comm* made),
      (parent, type, key, info, made))
MAKES(Cart_create, "create",
      (MPI_Comm parent, int count, const int sizes[], const int wraps[], int reorder,
       MPI_Comm* made),
      (parent, count, sizes, wraps, reorder, made))
MAKES(Cart_sub, "split", (MPI_Comm parent, const int remains[], MPI_Comm* made),
      (parent, remains, made))
MAKES(Graph_create, "create",
      (MPI_Comm parent, int count, const int index[], const int edges[], int reorder,
       MPI_Comm* made),
      (parent, count, index, edges, reorder, made))
MAKES(Dist_graph_create, "create",
      (MPI_Comm parent, int count, const int sources[], const int degrees[],
       const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
      (parent, count, sources, degrees, destinations, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent, "create",
      (MPI_Comm parent, int in, const int sources[], const int source_weights[], int out,
       const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
      (parent, in, sources, source_weights, out, destinations, weights, info, reorder, made))
MAKES(Intercomm_merge, "create", (MPI_Comm parent, int high, MPI_Comm* made), (parent, high, made))

/// Its members are known before it can be asked: those of its parent.
extern "C" int MPI_Comm_idup(MPI_Comm parent, MPI_Comm* made, MPI_Request* request) {
  Call call("idup");
  const int result = call.over(LIBRARY(Comm_idup)(parent, made, request));
  add_made(call, parent, *made, parent);
  if (call.counts()) add_request(call, *request, false);
  return result;
}
ALSO_AS_PMPI(Comm_idup)

#define ENDS(function)                              \
  extern "C" int MPI_##function(MPI_Comm* comm) {   \
    {                                               \
      const std::lock_guard lock(recorder().mutex); \
      communicators().remove(*comm);                \
    }                                               \
    return LIBRARY(function)(comm);                 \
  }                                                 \
  ALSO_AS_PMPI(function)
ENDS(Comm_free)
ENDS(Comm_disconnect)
