// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/record/sizes.hpp"

#include <vector>

namespace ringscope::record {
namespace {

void add_parts(Call& call, const std::vector<std::int64_t>& parts, MPI_Comm comm) {
  std::string text;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t next = i;
    while (next < parts.size() && parts[next] == parts[i]) ++next;
    text += text.empty() ? "" : ",";
    if (next - i > 1) text += std::to_string(next - i) + "x";
    text += std::to_string(parts[i]);
    i = next;
  }
  call.word("parts", text);
  call.communicator(comm);
}

}  // namespace

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

void add_collective(Call& call, Part part, MPI_Comm comm, int root) {
  if (!call.counts()) return;
  call.number("bytes", part.bytes);
  if (root >= 0) call.number("root", root);
  call.communicator(comm);
}

void add_parts(Call& call, const int counts[], MPI_Datatype type, MPI_Comm comm) {
  if (!call.counts()) return;
  std::vector<std::int64_t> parts;
  for (int i = 0; i < size_of(comm); ++i) parts.push_back(bytes_of(counts[i], type));
  add_parts(call, parts, comm);
}

void add_parts(Call& call, const int counts[], const MPI_Datatype types[], MPI_Comm comm) {
  if (!call.counts()) return;
  std::vector<std::int64_t> parts;
  for (int i = 0; i < size_of(comm); ++i) parts.push_back(bytes_of(counts[i], types[i]));
  add_parts(call, parts, comm);
}

}  // namespace ringscope::record
