// SPDX-License-Identifier: LGPL-2.1-or-later
// Ring allreduce with the vector divided among k threads: each takes its part round a ring of its
// own, told apart by the tag, with the calls that a program with one thread makes.
//
// Source: Patarasuk and Yuan 2009 (see ring_steps.hpp); MPI_THREAD_MULTIPLE.
// Cost: 2(P-1)k steps of threads that keep pace, 2P(P-1)k messages, 2(P-1)S items on the wire.
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

Task ring(Communicator comm, Lane lane, int tag) {
  const int next = comm.next(), prev = comm.prev(), self = comm.rank();
  for (int step : comm.phase("reduce-scatter", comm.size() - 1)) {
    const auto [sent, received] = reduce_scatter_step(self, step);
    const Request incoming = comm.irecv(lane.slot, prev, tag);
    co_await comm.send(lane.chunk[sent], next, tag);
    co_await comm.wait(incoming);
    co_await comm.reduce(lane.chunk[received], lane.slot);
  }
  for (int step : comm.phase("allgather", comm.size() - 1)) {
    const auto [sent, received] = allgather_step(self, step);
    const Request incoming = comm.irecv(lane.chunk[received], prev, tag);
    co_await comm.send(lane.chunk[sent], next, tag);
    co_await comm.wait(incoming);
  }
}

Task ring_threads_allreduce(Communicator comm, Workspace work, int threads) {
  const auto lane = [&](int thread) {
    return lane_of(work.data, work.scratch, comm.size(), thread, threads);
  };
  std::vector<Thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.push_back(
        comm.start(ring(comm.beside(Beside::thread), lane(thread), thread), Beside::thread));
  co_await ring(comm, lane(0), 0);
  for (const Thread other : others) co_await comm.join(other);
}

}  // namespace

Algorithm describe_ring_threads_allreduce() {
  return {
      .collective = "allreduce",
      .name = "ring_threads",
      .summary = "ring; each of k threads takes its part of the buffer round",
      .options = {"threads"},
      .ring = true,
      .threads_for = [](const Options& options) { return options.threads; },
      .run = [](Communicator comm, Workspace work,
                Options options) { return ring_threads_allreduce(comm, work, options.threads); },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return ring_cost(ranks, items, std::int64_t{options.threads});
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return lanes_scratch_items(ranks, items, options.threads);
          },
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
