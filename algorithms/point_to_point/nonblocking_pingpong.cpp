// SPDX-License-Identifier: LGPL-2.1-or-later
// Ping-pong with non-blocking calls: each send and each receive is posted and then waited for.
//
// Source: the OSU micro-benchmarks, osu_latency, with MPI_Isend, MPI_Irecv and MPI_Wait.
// Cost of R rounds: 2R steps, 2R messages, 2RS items on the wire.
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

Task nonblocking_pingpong(Communicator comm, Range data, int rounds) {
  if (comm.rank() > 1) co_return;
  const int other = 1 - comm.rank();
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) co_await comm.wait(comm.isend(data, other));
    co_await comm.wait(comm.irecv(data, other));
    if (comm.rank() == 1) co_await comm.wait(comm.isend(data, other));
  }
}

}  // namespace

Algorithm describe_nonblocking_pingpong() {
  return {
      .collective = "pingpong",
      .name = "nonblocking",
      .summary = "rank 0 sends to rank 1 and back, each call posted and waited for",
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector<nonblocking_pingpong, &Options::rounds>,
      .cost = pingpong_cost,
  };
}

}  // namespace ringscope
