// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives, blocking and not: each pair differs in its name and in its request.
#include <vector>

#include "validation/executors/mpi/record/handles.hpp"

namespace {

using ringscope::record::bytes_of;
using ringscope::record::Call;

/// Bytes that a rank gives or takes; of the other buffer where MPI_IN_PLACE stands for this one.
struct Part {
  Part(int items, MPI_Datatype type) : bytes(bytes_of(items, type)) {}
  Part(const void* data, int items, MPI_Datatype type, int other_items, MPI_Datatype other)
      : bytes(data == MPI_IN_PLACE ? bytes_of(other_items, other) : bytes_of(items, type)) {}
  std::int64_t bytes;
};

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// "bytes=N", "root=R" where there is one, and the communicator.
void add_collective(Call& call, Part part, MPI_Comm comm, int root = -1) {
  if (!call.counts()) return;
  call.number("bytes", part.bytes);
  if (root >= 0) call.number("root", root);
  call.communicator(comm);
}

/// "3x1024,0"
std::string parts_text(const std::vector<std::int64_t>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t next = i;
    while (next < parts.size() && parts[next] == parts[i]) ++next;
    text += text.empty() ? "" : ",";
    if (next - i > 1) text += std::to_string(next - i) + "x";
    text += std::to_string(parts[i]);
    i = next;
  }
  return text;
}

/// "parts=3x1024,0": what goes to each rank in turn. `type_of`: of a rank's part.
template <typename TypeOf>
void add_parts(Call& call, const int counts[], MPI_Comm comm, TypeOf type_of) {
  if (!call.counts()) return;
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<std::int64_t> parts;
  for (int rank = 0; rank < size; ++rank) parts.push_back(bytes_of(counts[rank], type_of(rank)));
  call.word("parts", parts_text(parts));
  call.communicator(comm);
}

void add_parts(Call& call, const int counts[], MPI_Datatype type, MPI_Comm comm) {
  add_parts(call, counts, comm, [type](int) { return type; });
}

void add_parts(Call& call, const int counts[], const MPI_Datatype types[], MPI_Comm comm) {
  add_parts(call, counts, comm, [types](int rank) { return types[rank]; });
}

}  // namespace

BOTH_CALLS(Barrier, Ibarrier, "barrier", (comm), if (call.counts()) call.communicator(comm))

BOTH_CALLS(Bcast, Ibcast, "bcast", (data, count, type, root, comm),
           add_collective(call, Part(count, type), comm, root))

BOTH_CALLS(Reduce, Ireduce, "reduce", (data, into, count, type, op, root, comm),
           add_collective(call, Part(count, type), comm, root))

// Sums of which each rank gives as much as it gets; of a sum that is scattered, what it gets.
#define SUM(blocking, nonblocking, name)                                       \
  BOTH_CALLS(blocking, nonblocking, name, (data, into, count, type, op, comm), \
             add_collective(call, Part(count, type), comm))
SUM(Allreduce, Iallreduce, "allreduce")
SUM(Scan, Iscan, "scan")
SUM(Exscan, Iexscan, "exscan")
SUM(Reduce_scatter_block, Ireduce_scatter_block, "reduce_scatter")

// Part of this rank: in a gather what it gives, in a scatter what it gets.

BOTH_CALLS(Gather, Igather, "gather", (data, count, type, into, into_count, into_type, root, comm),
           add_collective(call, Part(data, count, type, into_count, into_type), comm, root))

BOTH_CALLS(Gatherv, Igatherv, "gatherv",
           (data, count, type, into, into_counts, places, into_type, root, comm),
           add_collective(call,
                          Part(data, count, type, data == MPI_IN_PLACE ? into_counts[root] : 0,
                               into_type),
                          comm, root))

BOTH_CALLS(Scatter, Iscatter, "scatter",
           (data, count, type, into, into_count, into_type, root, comm),
           add_collective(call, Part(into, into_count, into_type, count, type), comm, root))

BOTH_CALLS(Scatterv, Iscatterv, "scatterv",
           (data, counts, places, type, into, into_count, into_type, root, comm),
           add_collective(call,
                          Part(into, into_count, into_type, into == MPI_IN_PLACE ? counts[root] : 0,
                               type),
                          comm, root))

// Part of this rank; in an exchange of all with all, what goes to each rank.
#define WITH_ALL(blocking, nonblocking, name)                                                     \
  BOTH_CALLS(blocking, nonblocking, name, (data, count, type, into, into_count, into_type, comm), \
             add_collective(call, Part(data, count, type, into_count, into_type), comm))
WITH_ALL(Allgather, Iallgather, "allgather")
WITH_ALL(Alltoall, Ialltoall, "alltoall")

BOTH_CALLS(Allgatherv, Iallgatherv, "allgatherv",
           (data, count, type, into, into_counts, places, into_type, comm),
           add_collective(call, Part(into_counts[rank_in(comm)], into_type), comm))

// Part in an exchange of all with all: what goes to each rank.

BOTH_CALLS(Alltoallv, Ialltoallv, "alltoallv",
           (data, counts, places, type, into, into_counts, into_places, into_type, comm),
           data == MPI_IN_PLACE ? add_parts(call, into_counts, into_type, comm)
                                : add_parts(call, counts, type, comm))

BOTH_CALLS(Alltoallw, Ialltoallw, "alltoallv",
           (data, counts, places, types, into, into_counts, into_places, into_types, comm),
           data == MPI_IN_PLACE ? add_parts(call, into_counts, into_types, comm)
                                : add_parts(call, counts, types, comm))

// Part in a sum that is scattered: what this rank gets.

BOTH_CALLS(Reduce_scatter, Ireduce_scatter, "reduce_scatter", (data, into, counts, type, op, comm),
           add_collective(call, Part(counts[rank_in(comm)], type), comm))
