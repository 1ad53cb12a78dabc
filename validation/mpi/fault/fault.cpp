// A library to be preloaded under a replay: the third message that rank 1 sends has one wrong item.
#include <mpi.h>

#include <vector>

extern "C" int MPI_Send(const void* items, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
  static int messages = 0;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 1 || type != MPI_FLOAT || ++messages != 3)
    return PMPI_Send(items, count, type, to, tag, comm);
  const float* right = static_cast<const float*>(items);
  std::vector<float> wrong(right, right + count);
  wrong.back() += 1;
  return PMPI_Send(wrong.data(), count, type, to, tag, comm);
}
