// SPDX-License-Identifier: LGPL-2.1-or-later
// Ping-pong: rank 0 sends its vector to rank 1, which sends it back; the other ranks idle. Half the
// time of a round is what the field calls the latency of a message of that size.
//
// Source: the OSU micro-benchmarks, osu_latency; Intel MPI Benchmarks, PingPong.
// Cost of R rounds: 2R steps, 2R messages, 2RS items on the wire.
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

Task blocking_pingpong(Communicator comm, Range data, int rounds) {
  if (comm.rank() > 1) co_return;
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) {
      co_await comm.send(data, 1);
      co_await comm.recv(data, 1);
    } else {
      co_await comm.recv(data, 0);
      co_await comm.send(data, 0);
    }
  }
}

}  // namespace

Algorithm describe_blocking_pingpong() {
  return {
      .collective = "pingpong",
      .name = "blocking",
      .summary = "rank 0 sends to rank 1 and back, blocking calls",
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector<blocking_pingpong, &Options::rounds>,
      .cost = pingpong_cost,
  };
}

}  // namespace ringscope
