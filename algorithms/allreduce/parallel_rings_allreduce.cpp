// SPDX-License-Identifier: LGPL-2.1-or-later
// k parallel rings: the vector is cut into k parts, part j goes round ring j, and all rings step
// together: 2k requests are posted, waited for, and k chunks reduced. The rings visit the ranks of
// a host in different orders (host_order.hpp), so that each crosses between hosts over another NIC
// where ranks on GPUs have one each. Ranks on the cores of one domain with several NICs do not:
// there the NIC depends on the hash of the two ranks, and rings may meet.
//
// Source: NCCL's channels, each a ring of its own: Jeaugey, "NCCL 2.0", GTC 2017.
// Cost: 2(P-1)k steps of ranks that keep pace, 2P(P-1)k messages, 2(P-1)S items on the wire.
#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

/// One ring as a rank of it sees it.
struct Ring {
  Lane lane;
  int position = 0;  ///< of this rank in the ring
  int prev = 0, next = 0;
};

std::vector<Ring> rings_of(Communicator comm, Workspace work, const Options& options) {
  std::vector<Ring> rings;
  const auto hosts = ranks_by_host(comm.size(), options.given.hosts);
  const int size = comm.size(), count = options.rings;
  for (int j = 0; j < count; ++j) {
    const Table<int> order = ring_order(hosts, j, count);
    const auto self = std::ranges::find(order, comm.rank());
    const int position = static_cast<int>(self - order.begin());
    const auto at = [&](int p) { return order[(p + size) % size]; };
    rings.push_back({lane_of(work.data, work.scratch, size, j, count), position, at(position - 1),
                     at(position + 1)});
  }
  return rings;
}

Task parallel_rings_allreduce(Communicator comm, std::vector<Ring> rings) {
  std::vector<Request> requests;

  for (int step : comm.phase("reduce-scatter", comm.size() - 1)) {
    requests.clear();
    for (int j = 0; const Ring& ring : rings)
      requests.push_back(comm.irecv(ring.lane.slot, ring.prev, j++));
    for (int j = 0; const Ring& ring : rings) {
      const Range sent = ring.lane.chunk[reduce_scatter_step(ring.position, step).sent];
      requests.push_back(comm.isend(sent, ring.next, j++));
    }
    co_await comm.wait_all(requests);
    for (const Ring& ring : rings) {
      const int received = reduce_scatter_step(ring.position, step).received;
      co_await comm.reduce(ring.lane.chunk[received], ring.lane.slot);
    }
  }

  for (int step : comm.phase("allgather", comm.size() - 1)) {
    requests.clear();
    for (int j = 0; const Ring& ring : rings) {
      const auto [sent, received] = allgather_step(ring.position, step);
      requests.push_back(comm.irecv(ring.lane.chunk[received], ring.prev, j));
      requests.push_back(comm.isend(ring.lane.chunk[sent], ring.next, j++));
    }
    co_await comm.wait_all(requests);
  }
}

}  // namespace

Algorithm describe_parallel_rings_allreduce() {
  return {
      .collective = "allreduce",
      .name = "parallel_rings",
      .summary = "k rings, each with its part of the buffer, that leave a host by different ranks",
      .options = {"rings"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return parallel_rings_allreduce(comm, rings_of(comm, work, options));
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return ring_cost(ranks, items, std::int64_t{options.rings}); },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return lanes_scratch_items(ranks, items, options.rings);
          },
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
