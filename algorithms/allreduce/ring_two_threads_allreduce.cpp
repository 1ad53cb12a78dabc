// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce with a thread for each direction: per step a second thread makes the blocking
// MPI_Send while the first one receives and reduces, then joins it.
//
// Source: Patarasuk and Yuan 2009 (see ring_steps.hpp).
// Cost: 2(P-1) steps, 2P(P-1) messages, 2(P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task blocking_send(Communicator comm, Range range, int to) { co_await comm.send(range, to); }

Task ring_two_threads_allreduce(Communicator comm, Chunks chunk, Range scratch) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();

  for (int step : comm.phase("reduce-scatter", comm.size() - 1)) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const Thread sender = comm.start(blocking_send(comm.thread(1), chunk[sent], next));
    co_await comm.recv(scratch, prev);
    co_await comm.reduce(chunk[received], scratch);
    co_await comm.join(sender);
  }

  for (int step : comm.phase("allgather", comm.size() - 1)) {
    const auto [sent, received] = allgather_step(self, step);
    const Thread sender = comm.start(blocking_send(comm.thread(1), chunk[sent], next));
    co_await comm.recv(chunk[received], prev);
    co_await comm.join(sender);
  }
}

}  // namespace

Algorithm describe_ring_two_threads_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring_two_threads",
      .summary = "ring; a second thread sends while the first receives and reduces",
      .ring = true,
      .threads = 2,
      .run = on_chunks_and_scratch<ring_two_threads_allreduce>,
      .cost = ring_cost,
      .scratch_items = ring_scratch_items,
      .alike = always,
  };
}

}  // namespace ringscope
