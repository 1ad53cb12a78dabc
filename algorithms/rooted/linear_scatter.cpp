// SPDX-License-Identifier: LGPL-2.1-or-later
// Linear scatter: the root sends each of the others its chunk, one after the other.
//
// Open MPI: scatter_intra_basic_linear.
// Cost: P-1 steps, P-1 messages; all chunks but the root's on the wire.
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

Task linear_scatter(Communicator comm, Chunks chunk, int root) {
  const int size = comm.size();
  comm.enter("scatter");
  if (comm.rank() != root) {
    co_await comm.recv(chunk[comm.rank()], root);
    co_return;
  }
  for (int step : comm.phase("scatter", size - 1)) {
    const int other = to_rank(step + 1, root, size);
    co_await comm.send(chunk[other], other);
  }
}

Cost linear_scatter_cost(int ranks, std::size_t items, Options options) {
  const std::size_t own = Chunks({.size = items}, ranks)[options.root].size;
  return {.steps = ranks - 1, .messages = ranks - 1, .items = items - own};
}

}  // namespace

Algorithm describe_linear_scatter() {
  return {
      .collective = "scatter",
      .name = "linear",
      .summary = "the root sends each of the others its chunk",
      .options = {"root"},
      .run = on_chunks<linear_scatter, &Options::root>,
      .cost = linear_scatter_cost,
  };
}

}  // namespace ringscope
