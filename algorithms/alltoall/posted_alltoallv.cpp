// SPDX-License-Identifier: LGPL-2.1-or-later
// Posted all-to-all of sizes that differ: every rank posts all its receives and all its sends at
// once and waits for them; whom nothing goes to gets no message.
//
// Source: Open MPI: alltoallv_intra_basic_linear; MPICH: alltoallv_intra_scattered with no limit.
// PyTorch leaves empty messages out likewise: all2all_single_unequal_split in
// torch/csrc/cuda/nccl.cpp.
// Cost: a message for each pair that exchanges something; on the wire all but what each rank has
// for itself. Steps are as many as the busiest rank sends or receives, where ranks keep pace.
#include "algorithms/alltoall/pair_sizes.hpp"

namespace ringscope {
namespace {

Task posted_alltoallv(Communicator comm, ChunksByPair chunk, PiecesByPair piece) {
  const int self = comm.rank(), size = comm.size();

  std::vector<Request> all;
  for (int distance = 1; distance < size; ++distance) {
    const int from = (self + size - distance) % size;
    if (piece[from].size > 0) all.push_back(comm.irecv(piece[from], from));
  }
  for (int distance = 1; distance < size; ++distance) {
    const int to = (self + distance) % size;
    if (chunk[to].size > 0) all.push_back(comm.isend(chunk[to], to));
  }
  co_await comm.copy(piece[self], chunk[self]);
  co_await comm.wait_all(all);
}

}  // namespace

Algorithm describe_posted_alltoallv() {
  return {
      .collective = "alltoallv",
      .name = "posted",
      .summary = "all sends and receives that carry something posted at once",
      .options = {"sizes"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const int self = comm.rank(), size = comm.size();
            return posted_alltoallv(comm, {work.data, self, size, options},
                                    {work.scratch, work.data.size, self, size, options});
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return pairs_by_size_cost(ranks, items, options, false); },
      .scratch_items = pieces_by_pair_items,
      .varies = Varies::steps,
      .alike = [](int, std::size_t, const Options& options) { return options.sizes == nullptr; },
  };
}

}  // namespace ringscope
