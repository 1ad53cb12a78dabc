// SPDX-License-Identifier: LGPL-2.1-or-later
// A library to be preloaded under a replay or a probe: one rank does what RINGSCOPE_FAULT says.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

bool is_asked(std::string_view fault, int of_rank = 1) {
  const char* asked = std::getenv("RINGSCOPE_FAULT");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == of_rank && asked != nullptr && asked == fault;
}

/// "lost_core": rank 0 is late with the first messages of 64 and of 256 B, as many as a point has:
/// two to warm up and five samples.
void lose_core(int count, MPI_Datatype type) {
  static int left = 14;
  if (type != MPI_BYTE || (count != 64 && count != 256) || !is_asked("lost_core", 0)) return;
  if (left-- > 0) std::this_thread::sleep_for(std::chrono::milliseconds(40));
}

}  // namespace

/// "wrong_item": the third message has one.
extern "C" int MPI_Send(const void* items, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
  static int messages = 0;
  lose_core(count, type);
  if (type != MPI_FLOAT || !is_asked("wrong_item") || ++messages != 3)
    return PMPI_Send(items, count, type, to, tag, comm);
  const float* right = static_cast<const float*>(items);
  std::vector<float> wrong(right, right + count);
  wrong.back() += 1;
  return PMPI_Send(wrong.data(), count, type, to, tag, comm);
}

/// "late": hears of the agreed time half a second after it was named.
extern "C" int MPI_Bcast(void* items, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int result = PMPI_Bcast(items, count, type, root, comm);
  if (type == MPI_DOUBLE && is_asked("late"))
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return result;
}
