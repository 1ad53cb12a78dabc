// SPDX-License-Identifier: LGPL-2.1-or-later
// Ping-pong in which rank 0 makes one call a round: it sends its vector and receives the answer
// into scratch space. Its receive is posted before rank 1 answers, so no answer is ever unexpected.
//
// Source: the OSU micro-benchmarks, osu_latency, with MPI_Sendrecv on the side that begins.
// Cost of R rounds: 2R steps, 2R messages, 2RS items on the wire.
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

Task sendrecv_pingpong(Communicator comm, Range data, Range scratch, int rounds) {
  if (comm.rank() > 1) co_return;
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) {
      co_await comm.sendrecv(data, 1, scratch, 1);
    } else {
      co_await comm.recv(data, 0);
      co_await comm.send(data, 0);
    }
  }
}

}  // namespace

Algorithm describe_sendrecv_pingpong() {
  return {
      .collective = "pingpong",
      .name = "sendrecv",
      .summary = "rank 0 sends to rank 1 and receives the answer in one call",
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector_and_scratch<sendrecv_pingpong, &Options::rounds>,
      .cost = pingpong_cost,
      .scratch_items = [](int, std::size_t items, Options) { return items; },
  };
}

}  // namespace ringscope
