// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce with one call to communicate: per step one MPI_Sendrecv and one local reduction.
//
// Source: Patarasuk and Yuan 2009 (see ring_steps.hpp).
// Cost: 2(P-1) steps, 2P(P-1) messages, 2(P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring_sendrecv_allreduce(Communicator comm, Chunks chunk, Range scratch) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();

  for (int step : comm.phase("reduce-scatter", comm.size() - 1).alike()) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    co_await comm.sendrecv(chunk[sent], next, scratch, prev);
    co_await comm.reduce(chunk[received], scratch);
  }

  for (int step : comm.phase("allgather", comm.size() - 1).alike()) {
    const auto [sent, received] = allgather_step(self, step);
    co_await comm.sendrecv(chunk[sent], next, chunk[received], prev);
  }
}

}  // namespace

Algorithm describe_ring_sendrecv_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring_sendrecv",
      .summary = "ring; per step sendrecv, reduce",
      .ring = true,
      .run = on_chunks_and_scratch<ring_sendrecv_allreduce>,
      .cost = ring_cost,
      .scratch_items = ring_scratch_items,
      .alike = always,
  };
}

}  // namespace ringscope
