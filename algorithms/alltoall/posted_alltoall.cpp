// SPDX-License-Identifier: LGPL-2.1-or-later
// Posted all-to-all: every rank posts all its receives and all its sends at once and waits for
// them; what crosses what, the network decides.
//
// Source: Thakur, Rabenseifner and Gropp 2005, section 4.6. MPICH: alltoall_intra_scattered with no
// limit. Open MPI: alltoall_intra_basic_linear.
// Cost: P-1 steps of ranks that keep pace, P(P-1) messages, (P-1)S items on the wire. A port takes
// messages in the order in which they come, so one that comes late holds up what follows.
//
// Of sizes that differ, whom nothing goes to gets no message. Source: Open MPI:
// alltoallv_intra_basic_linear; MPICH: alltoallv_intra_scattered with no limit. PyTorch omits
// empty messages, too: all2all_single_unequal_split in torch/csrc/cuda/nccl.cpp. Cost: a
// message for each pair that exchanges something; on the wire all but what each rank has for
// itself. Steps are as many as the busiest rank sends or receives, where ranks keep pace.
#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

/// `chunk`: what goes to each rank; `piece`: where what comes from each is put.
template <bool empty_too, typename ChunkOf, typename PieceOf>
Task exchange_posted(Communicator comm, ChunkOf chunk, PieceOf piece) {
  const int self = comm.rank(), size = comm.size();

  std::vector<Request> all;
  for (int distance = 1; distance < size; ++distance) {
    const int from = (self + size - distance) % size;
    if (empty_too || piece[from].size > 0) all.push_back(comm.irecv(piece[from], from));
  }
  for (int distance = 1; distance < size; ++distance) {
    const int to = (self + distance) % size;
    if (empty_too || chunk[to].size > 0) all.push_back(comm.isend(chunk[to], to));
  }
  co_await comm.copy(piece[self], chunk[self]);
  co_await comm.wait_all(all);
}

Task posted_alltoall(Communicator comm, Chunks chunk, Range scratch) {
  return exchange_posted<true>(comm, chunk, Pieces{scratch, chunk[comm.rank()].size});
}

}  // namespace

Algorithm describe_posted_alltoall() {
  return {
      .collective = "alltoall",
      .name = "posted",
      .summary = "all sends and receives posted together",
      .run = on_chunks_and_scratch<posted_alltoall>,
      .cost = half_ring_cost,
      .scratch_items = pieces_items,
      .varies = Varies::steps,
      .alike = always,
  };
}

Algorithm describe_posted_alltoallv() {
  return {
      .collective = "alltoallv",
      .name = "posted",
      .summary = "all sends and receives with data posted together",
      .options = {"sizes"},
      .run = on_chunks_by_pair<exchange_posted<false, ChunksByPair, PiecesByPair>>,
      .cost = [](int ranks, std::size_t items,
                 Options options) { return pairs_by_size_cost(ranks, items, options, false); },
      .scratch_items = pieces_by_pair_items,
      .varies = Varies::steps,
      .alike = [](int, std::size_t, const Options& options) { return options.sizes == nullptr; },
  };
}

}  // namespace ringscope
