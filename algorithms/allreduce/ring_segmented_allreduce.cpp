// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce with a pipeline inside each chunk: while segment k is reduced, segment k+1 is
// in flight in both directions. All chunks are cut into equally many segments, K, so that a rank
// sends and receives alike even where its chunks differ by an item.
//
// Source: Open MPI, allreduce_intra_ring_segmented; Gloo, allreduce_ring_chunked (two segments).
// Cost: 2(P-1)K steps, 2P(P-1)K messages, 2(P-1)S items on the wire.

#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

/// The fewest of at most `options.segment` items that the largest chunk needs; one when it is
/// empty.
std::size_t segments_per_chunk(int ranks, std::size_t items, const Options& options) {
  const std::size_t largest = ring_chunk_items(ranks, items), most = options.segment;
  return std::max<std::size_t>(1, largest / most + (largest % most == 0 ? 0 : 1));
}

Task ring_segmented_allreduce(Communicator comm, Chunks chunk, Range scratch,
                              std::size_t segments) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();
  const std::size_t slots = std::min<std::size_t>(segments, 2);
  const std::array slot = {scratch.part(0, slots), scratch.part(slots - 1, slots)};
  std::array<std::array<Request, 2>, 2> in_flight;  // of the even and the odd segment

  for (int step : comm.phase("reduce-scatter", comm.size() - 1)) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const Range out = chunk[sent], in = chunk[received];
    in_flight[0] = {comm.irecv(slot[0], prev), comm.isend(out.part(0, segments), next)};
    for (std::size_t k = 0; k < segments; ++k) {
      const std::size_t now = k % 2, then = 1 - now;
      if (k + 1 < segments)
        in_flight[then] = {comm.irecv(slot[then], prev),
                           comm.isend(out.part(k + 1, segments), next)};
      co_await comm.wait_all(in_flight[now]);
      co_await comm.reduce(in.part(k, segments), slot[now]);
    }
  }

  for (int step : comm.phase("allgather", comm.size() - 1)) {
    const auto [sent, received] = allgather_step(self, step);
    for (std::size_t k = 0; k < segments; ++k) {
      const std::array both = {comm.irecv(chunk[received].part(k, segments), prev),
                               comm.isend(chunk[sent].part(k, segments), next)};
      co_await comm.wait_all(both);
    }
  }
}

/// Two segments are held at a time; the first two are the largest.
std::size_t ring_segmented_allreduce_scratch(int ranks, std::size_t items, Options options) {
  const Range largest = {.size = ring_scratch_items(ranks, items, options)};
  const std::size_t segments = segments_per_chunk(ranks, items, options);
  return largest.part(0, segments).size + (segments > 1 ? largest.part(1, segments).size : 0);
}

}  // namespace

Algorithm describe_ring_segmented_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring_segmented",
      .summary = "ring; while a segment of a chunk is reduced, the next one is in flight",
      .options = {"segment"},
      .ring = true,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Chunks chunk(work.data, comm.size());
            return ring_segmented_allreduce(
                comm, chunk, work.scratch,
                segments_per_chunk(comm.size(), work.data.size, options));
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            const std::size_t segments = segments_per_chunk(ranks, items, options);
            return ring_cost(ranks, items, static_cast<std::int64_t>(segments));
          },
      .scratch_items = ring_segmented_allreduce_scratch,
      .alike = always,
  };
}

}  // namespace ringscope
