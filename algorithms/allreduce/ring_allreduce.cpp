// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce as MPI programs write it: per step one MPI_Irecv, one blocking MPI_Send, one
// MPI_Wait, one local reduction. First every chunk travels once around the ring and is summed on
// its way, then the sums travel once around.
//
// Source: Patarasuk and Yuan 2009 (see ring_steps.hpp).
// Cost: 2(P-1) steps, 2P(P-1) messages, 2(P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring_allreduce(Communicator comm, Chunks chunk, Range scratch) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();

  for (int step : comm.phase("reduce-scatter", comm.size() - 1).alike()) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const Request incoming = comm.irecv(scratch, prev);
    co_await comm.send(chunk[sent], next);
    co_await comm.wait(incoming);
    co_await comm.reduce(chunk[received], scratch);
  }

  for (int step : comm.phase("allgather", comm.size() - 1).alike()) {
    const auto [sent, received] = allgather_step(self, step);
    const Request incoming = comm.irecv(chunk[received], prev);
    co_await comm.send(chunk[sent], next);
    co_await comm.wait(incoming);
  }
}

}  // namespace

Algorithm describe_ring_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring",
      .summary = "ring; per step irecv, blocking send, wait, reduce",
      .ring = true,
      .run = on_chunks_and_scratch<ring_allreduce>,
      .cost = ring_cost,
      .scratch_items = ring_scratch_items,
      .alike = always,
  };
}

}  // namespace ringscope
