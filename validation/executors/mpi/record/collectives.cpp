// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives, blocking and not: each pair differs in its name and in its request.
#include "validation/executors/mpi/record/sizes.hpp"

using ringscope::record::Call;
using ringscope::record::Part;
using ringscope::record::rank_in;
using ringscope::record::size_of;

// `told` adds what the line says: it sees the arguments by their names.
#define COLLECTIVE(blocking, nonblocking, name, declared, passed, told)    \
  extern "C" int MPI_##blocking declared {                                 \
    Call call(name);                                                       \
    const int result = call.over(LIBRARY(blocking) passed);                \
    told;                                                                  \
    return result;                                                         \
  }                                                                        \
  extern "C" int MPI_##nonblocking WITH_REQUEST declared {                 \
    Call call("i" name);                                                   \
    const int result = call.over(LIBRARY(nonblocking) AND_REQUEST passed); \
    told;                                                                  \
    if (call.counts()) add_request(call, *request, false);                 \
    return result;                                                         \
  }                                                                        \
  ALSO_AS_PMPI(blocking) ALSO_AS_PMPI(nonblocking)
#define WITH_REQUEST(...) (__VA_ARGS__, MPI_Request * request)
#define AND_REQUEST(...) (__VA_ARGS__, request)

COLLECTIVE(Barrier, Ibarrier, "barrier", (MPI_Comm comm), (comm),
           if (call.counts()) call.communicator(comm))

COLLECTIVE(Bcast, Ibcast, "bcast",
           (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (data, count, type, root, comm), add_collective(call, Part(count, type), comm, root))

COLLECTIVE(Reduce, Ireduce, "reduce",
           (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (data, into, count, type, op, root, comm),
           add_collective(call, Part(count, type), comm, root))

COLLECTIVE(Allreduce, Iallreduce, "allreduce",
           (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm), add_collective(call, Part(count, type), comm))

COLLECTIVE(Scan, Iscan, "scan",
           (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm), add_collective(call, Part(count, type), comm))

COLLECTIVE(Exscan, Iexscan, "exscan",
           (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm), add_collective(call, Part(count, type), comm))

// Part of this rank: in a gather what it gives, in a scatter what it gets.

COLLECTIVE(Gather, Igather, "gather",
           (const void* data, int count, MPI_Datatype type, void* into, int into_count,
            MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, count, type, into, into_count, into_type, root, comm),
           add_collective(call, Part(data, count, type, into_count, into_type), comm, root))

COLLECTIVE(Gatherv, Igatherv, "gatherv",
           (const void* data, int count, MPI_Datatype type, void* into, const int into_counts[],
            const int places[], MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, count, type, into, into_counts, places, into_type, root, comm),
           add_collective(call,
                          Part(data, count, type, data == MPI_IN_PLACE ? into_counts[root] : 0,
                               into_type),
                          comm, root))

COLLECTIVE(Scatter, Iscatter, "scatter",
           (const void* data, int count, MPI_Datatype type, void* into, int into_count,
            MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, count, type, into, into_count, into_type, root, comm),
           add_collective(call, Part(into, into_count, into_type, count, type), comm, root))

COLLECTIVE(Scatterv, Iscatterv, "scatterv",
           (const void* data, const int counts[], const int places[], MPI_Datatype type, void* into,
            int into_count, MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, counts, places, type, into, into_count, into_type, root, comm),
           add_collective(call,
                          Part(into, into_count, into_type, into == MPI_IN_PLACE ? counts[root] : 0,
                               type),
                          comm, root))

COLLECTIVE(Allgather, Iallgather, "allgather",
           (const void* data, int count, MPI_Datatype type, void* into, int into_count,
            MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, into_count, into_type, comm),
           add_collective(call, Part(data, count, type, into_count, into_type), comm))

COLLECTIVE(Allgatherv, Iallgatherv, "allgatherv",
           (const void* data, int count, MPI_Datatype type, void* into, const int into_counts[],
            const int places[], MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, into_counts, places, into_type, comm),
           add_collective(call, Part(into_counts[rank_in(comm)], into_type), comm))

// Part in an exchange of all with all: what goes to each rank.

COLLECTIVE(Alltoall, Ialltoall, "alltoall",
           (const void* data, int count, MPI_Datatype type, void* into, int into_count,
            MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, into_count, into_type, comm),
           add_collective(call, Part(data, count, type, into_count, into_type), comm))

COLLECTIVE(Alltoallv, Ialltoallv, "alltoallv",
           (const void* data, const int counts[], const int places[], MPI_Datatype type, void* into,
            const int into_counts[], const int into_places[], MPI_Datatype into_type,
            MPI_Comm comm),
           (data, counts, places, type, into, into_counts, into_places, into_type, comm),
           data == MPI_IN_PLACE ? add_parts(call, into_counts, into_type, comm)
                                : add_parts(call, counts, type, comm))

COLLECTIVE(Alltoallw, Ialltoallw, "alltoallv",
           (const void* data, const int counts[], const int places[], const MPI_Datatype types[],
            void* into, const int into_counts[], const int into_places[],
            const MPI_Datatype into_types[], MPI_Comm comm),
           (data, counts, places, types, into, into_counts, into_places, into_types, comm),
           data == MPI_IN_PLACE ? add_parts(call, into_counts, into_types, comm)
                                : add_parts(call, counts, types, comm))

// Part in a sum that is scattered: what this rank gets.

COLLECTIVE(Reduce_scatter, Ireduce_scatter, "reduce_scatter",
           (const void* data, void* into, const int counts[], MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (data, into, counts, type, op, comm),
           add_collective(call, Part(counts[rank_in(comm)], type), comm))

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, "reduce_scatter",
           (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm), add_collective(call, Part(count, type), comm))
