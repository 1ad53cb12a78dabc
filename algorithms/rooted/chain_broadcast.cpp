// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelined chain: each rank receives the vector segment by segment from the one before it and
// passes each segment on while the next one is in flight.
//
// Source: van de Geijn, "On global combine operations", J. Parallel Distrib. Comput. 22 (1994).
// Open MPI: bcast_intra_pipeline.
// Cost with K segments: P+K-2 steps (0 of one rank), (P-1)K messages, (P-1)S items on the wire.
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/segments.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task chain_broadcast(Communicator comm, Range data, int root, int segments) {
  const int size = comm.size(), self = from_root(comm.rank(), root, size);
  const int prev = comm.prev(), next = comm.next();
  const bool first = self == 0, last = self == size - 1;

  Request incoming;
  if (!first) incoming = comm.irecv(data.part(0, segments), prev);
  Request outgoing;
  for (int step : comm.phase("chain", segments)) {
    if (!first) co_await comm.wait(incoming);
    if (!first && step + 1 < segments) incoming = comm.irecv(data.part(step + 1, segments), prev);
    if (!last && step > 0) co_await comm.wait(outgoing);
    if (!last) outgoing = comm.isend(data.part(step, segments), next);
  }
  if (!last) co_await comm.wait(outgoing);
}

std::size_t segments(std::size_t items, const Options& options) {
  return segments_of(items, options.segment);
}

Cost chain_broadcast_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const auto count = static_cast<std::int64_t>(segments(items, options));
  return {.steps = ranks + count - 2,
          .messages = (ranks - 1) * count,
          .items = static_cast<std::uint64_t>(ranks - 1) * items};
}

}  // namespace

Algorithm describe_chain_broadcast() {
  return {
      .collective = "broadcast",
      .name = "chain",
      .summary = "from rank to rank in segments, all links busy concurrently",
      .options = {"root", "segment"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return chain_broadcast(comm, work.data, options.root,
                                   static_cast<int>(segments(work.data.size, options)));
          },
      .cost = chain_broadcast_cost,
  };
}

}  // namespace ringscope
