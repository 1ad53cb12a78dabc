// SPDX-License-Identifier: LGPL-2.1-or-later
// The ring allreduce of algorithms/allreduce/ring_allreduce.cpp as an ordinary MPI program, for
// SMPI: built by SimGrid's smpicxx and started by its smpirun. It links nothing of this project.
//
// Usage: smpi_ring CHUNK          bytes of one of the P chunks
// Prints the simulated seconds.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int chunk = argc > 1 ? std::atoi(argv[1]) : 1024;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, prev = (rank + size - 1) % size;
  // The bytes do not matter: one buffer for all chunks, or 1,024 ranks would need 1 GiB.
  std::vector<char> sent(static_cast<std::size_t>(chunk)), received(sent.size());
  const double start = MPI_Wtime();
  for (int step = 0; step < 2 * (size - 1); ++step) {
    MPI_Request incoming;
    MPI_Irecv(received.data(), chunk, MPI_CHAR, prev, 0, MPI_COMM_WORLD, &incoming);
    MPI_Send(sent.data(), chunk, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&incoming, MPI_STATUS_IGNORE);
  }
  if (rank == 0) std::printf("%.9g\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
