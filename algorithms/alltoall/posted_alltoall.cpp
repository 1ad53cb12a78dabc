// SPDX-License-Identifier: LGPL-2.1-or-later
// Posted all-to-all: every rank posts all its receives and all its sends at once and waits for
// them; what crosses what, the network decides.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.6. MPICH: alltoall_intra_scattered with no
// limit. Open MPI: alltoall_intra_basic_linear.
// Cost: P-1 steps of ranks that keep pace, P(P-1) messages, (P-1)S items on the wire. A port takes
// messages in the order in which they come, so one that comes late holds up what follows.
#include "algorithms/steps/pieces.hpp"

namespace ringscope {
namespace {

Task posted_alltoall(Communicator comm, Chunks chunk, Range scratch) {
  const int self = comm.rank(), size = comm.size();
  const Pieces piece = {scratch, chunk[self].size};

  std::vector<Request> all;
  for (int distance = 1; distance < size; ++distance) {
    const int from = (self + size - distance) % size;
    all.push_back(comm.irecv(piece[from], from));
  }
  for (int distance = 1; distance < size; ++distance) {
    const int to = (self + distance) % size;
    all.push_back(comm.isend(chunk[to], to));
  }
  co_await comm.copy(piece[self], chunk[self]);
  co_await comm.wait_all(all);
}

}  // namespace

Algorithm describe_posted_alltoall() {
  return {
      .collective = "alltoall",
      .name = "posted",
      .summary = "all sends and receives posted at once",
      .run =
          [](Communicator comm, Workspace work, Options) {
            return posted_alltoall(comm, Chunks(work.data, comm.size()), work.scratch);
          },
      .cost = half_ring_cost,
      .scratch_items = pieces_items,
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
