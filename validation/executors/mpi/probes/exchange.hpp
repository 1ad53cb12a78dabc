// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls that most probes are made of. Part 0 of a pair is the sender, part 1 the receiver.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {

inline constexpr int data_tag = 1, signal_tag = 2;

inline void send_bytes(const std::byte* data, std::uint64_t bytes, int to, MPI_Comm comm) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, data_tag, comm);
}

inline void recv_bytes(std::byte* data, std::uint64_t bytes, int from, MPI_Comm comm) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, data_tag, comm, MPI_STATUS_IGNORE);
}

inline MPI_Request isend_bytes(const std::byte* data, std::uint64_t bytes, int to, MPI_Comm comm,
                               int tag = data_tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &request);
  return request;
}

inline MPI_Request irecv_bytes(std::byte* data, std::uint64_t bytes, int from, MPI_Comm comm,
                               int tag = data_tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, comm, &request);
  return request;
}

/// Seconds of the iterations of a sample that the team begins together, on this rank.
template <typename Once>
double time_of(const Team& team, int iterations, Once once) {
  team.meet();
  const double start_s = now_s();
  for (int i = 0; i < iterations; ++i) once();
  return now_s() - start_s;
}

/// Sum over the iterations of a sample of the seconds that count in each.
template <typename Once>
double sum_of(int iterations, Once once) {
  double seconds = 0;
  for (int i = 0; i < iterations; ++i) seconds += once();
  return seconds;
}

/// An empty message: "go on".
inline void signal(int to, MPI_Comm comm, int tag = signal_tag) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, tag, comm);
}

inline void await_signal(int from, MPI_Comm comm, int tag = signal_tag) {
  MPI_Recv(nullptr, 0, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
}

}  // namespace ringscope::mpi
