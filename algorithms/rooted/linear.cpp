// SPDX-License-Identifier: LGPL-2.1-or-later
// Linear scatter and gather: the root sends each of the others its chunk, or receives it, one after
// the other.
//
// Open MPI: scatter_intra_basic_linear, gather_intra_basic_linear.
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

Cost linear_cost(int ranks, std::size_t items, Options options) {
  const std::size_t own = Chunks({.size = items}, ranks)[options.root].size;
  return {.steps = ranks - 1, .messages = ranks - 1, .items = items - own};
}

template <auto program>
Algorithm linear(std::string_view collective, std::string_view summary) {
  return {
      .collective = collective,
      .name = "linear",
      .summary = summary,
      .options = {"root"},
      .run = on_chunks<program, &Options::root>,
      .cost = linear_cost,
  };
}

}  // namespace

Algorithm describe_linear_scatter() {
  return linear<linear_scatter>("scatter", "the root sends each of the others its chunk");
}

Algorithm describe_linear_gather() {
  return linear<linear_gather>("gather", "the root receives each of the others' chunk");
}

}  // namespace ringscope
