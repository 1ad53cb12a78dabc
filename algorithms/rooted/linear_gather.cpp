// SPDX-License-Identifier: LGPL-2.1-or-later
// Linear gather: the root receives each of the others' chunk, one after the other.
//
// Open MPI: gather_intra_basic_linear.
// Cost: P-1 steps, P-1 messages; all chunks but the root's on the wire.
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task linear_gather(Communicator comm, Chunks chunk, int root) {
  const int size = comm.size();
  comm.enter("gather");
  if (comm.rank() != root) {
    co_await comm.send(chunk[comm.rank()], root);
    co_return;
  }
  for (int step : comm.phase("gather", size - 1)) {
    const int other = to_rank(step + 1, root, size);
    co_await comm.recv(chunk[other], other);
  }
}

Cost linear_gather_cost(int ranks, std::size_t items, Options options) {
  const std::size_t own = Chunks({.size = items}, ranks)[options.root].size;
  return {.steps = ranks - 1, .messages = ranks - 1, .items = items - own};
}

}  // namespace

Algorithm describe_linear_gather() {
  return {
      .collective = "gather",
      .name = "linear",
      .summary = "the root receives each of the others' chunk",
      .options = {"root"},
      .run = on_chunks<linear_gather, &Options::root>,
      .cost = linear_gather_cost,
  };
}

}  // namespace ringscope
