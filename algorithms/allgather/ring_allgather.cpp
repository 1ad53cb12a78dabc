// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allgather: each rank begins with its own chunk and passes on what it has just received.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.1. MPICH: allgather_intra_ring. Open MPI:
// allgather_intra_ring.
// Cost: P-1 steps, P(P-1) messages, (P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring_allgather(Communicator comm, Chunks chunk) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();
  for (int step : comm.phase("allgather", comm.size() - 1).alike()) {
    const auto [sent, received] = allgather_step(self - 1, step);
    co_await comm.sendrecv(chunk[sent], next, chunk[received], prev);
  }
}

}  // namespace

Algorithm describe_ring_allgather() {
  return {
      .collective = "allgather",
      .name = "ring",
      .summary = "chunks go around a ring",
      .ring = true,
      .run = on_chunks<ring_allgather>,
      .cost = half_ring_cost,
      .alike = always,
  };
}

}  // namespace ringscope
