// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that make communicators.
#include <boost/preprocessor/arithmetic/dec.hpp>
#include <boost/preprocessor/cat.hpp>

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

// Each has its parent first and its new communicator last.
#define MAKES(function, name, count)                               \
  extern "C" int MPI_##function PARAMETERS(function, count) {      \
    Call call(name);                                               \
    const int result = call.over(LIBRARY(function) PASSED(count)); \
    MPI_Comm* made = BOOST_PP_CAT(a, BOOST_PP_DEC(count));         \
    add_made(call, a0, *made, *made);                              \
    return result;                                                 \
  }                                                                \
  ALSO_AS_PMPI(function)

MAKES(Comm_dup, "dup", 2)
MAKES(Comm_dup_with_info, "dup", 3)
MAKES(Comm_create, "create", 3)
MAKES(Comm_create_group, "create_group", 4)
MAKES(Comm_split, "split", 4)
MAKES(Comm_split_type, "split", 5)
MAKES(Cart_create, "create", 6)
MAKES(Cart_sub, "split", 3)
MAKES(Graph_create, "create", 6)
MAKES(Dist_graph_create, "create", 9)
MAKES(Dist_graph_create_adjacent, "create", 10)
MAKES(Intercomm_merge, "create", 3)

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
