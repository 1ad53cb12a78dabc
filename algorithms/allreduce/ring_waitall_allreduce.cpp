// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce with nothing that blocks but the wait: per step one MPI_Irecv, one MPI_Isend, one
// MPI_Waitall, one local reduction.
//
// Source: Patarasuk and Yuan 2009 (see ring_steps.hpp).
// Cost: 2(P-1) steps, 2P(P-1) messages, 2(P-1)S items on the wire.
#include <array>

#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring_waitall_allreduce(Communicator comm, Chunks chunk, Range scratch) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();

  for (int step : comm.phase("reduce-scatter", comm.size() - 1).alike()) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const std::array both = {comm.irecv(scratch, prev), comm.isend(chunk[sent], next)};
    co_await comm.wait_all(both);
    co_await comm.reduce(chunk[received], scratch);
  }

  for (int step : comm.phase("allgather", comm.size() - 1).alike()) {
    const auto [sent, received] = allgather_step(self, step);
    const std::array both = {comm.irecv(chunk[received], prev), comm.isend(chunk[sent], next)};
    co_await comm.wait_all(both);
  }
}

}  // namespace

Algorithm describe_ring_waitall_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring_waitall",
      .summary = "ring; per step irecv, isend, wait_all, reduce",
      .ring = true,
      .run = on_chunks_and_scratch<ring_waitall_allreduce>,
      .cost = ring_cost,
      .scratch_items = ring_scratch_items,
      .alike = always,
  };
}

}  // namespace ringscope
