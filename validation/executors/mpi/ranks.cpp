// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/ranks.hpp"

#include <numeric>

#include "base/table.hpp"

namespace ringscope::mpi {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::vector<std::string> gather(MPI_Comm comm, const std::string& mine) {
  const auto length = static_cast<int>(mine.size());
  Table<int> lengths(size_of(comm)), starts(lengths.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  Table<char> all(starts.back() + lengths.back());
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0,
              comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank_of(comm) == 0 && i < lengths.size(); ++i)
    texts.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + lengths[i]);
  return texts;
}

}  // namespace ringscope::mpi
