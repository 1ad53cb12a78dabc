// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring reduce-scatter: the first phase of the ring allreduce, turned by one so that rank r ends
// with chunk r.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.3; Patarasuk and Yuan 2009. Open MPI:
// reduce_scatter_intra_ring.
// Cost: P-1 steps, P(P-1) messages, (P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring_reduce_scatter(Communicator comm, Chunks chunk, Range scratch) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();
  for (int step : comm.phase("reduce-scatter", comm.size() - 1).alike()) {
    const auto [sent, received] = reduce_scatter_step(self - 1, step);
    const Request incoming = comm.irecv(scratch, prev);
    co_await comm.send(chunk[sent], next);
    co_await comm.wait(incoming);
    co_await comm.reduce(chunk[received], scratch);
  }
}

}  // namespace

Algorithm describe_ring_reduce_scatter() {
  return {
      .collective = "reduce_scatter",
      .name = "ring",
      .summary = "chunks go around a ring and are summed on the way",
      .ring = true,
      .run = on_chunks_and_scratch<ring_reduce_scatter>,
      .cost = half_ring_cost,
      .scratch_items = ring_scratch_items,
      .alike = always,
  };
}

}  // namespace ringscope
