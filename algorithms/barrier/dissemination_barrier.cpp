// SPDX-License-Identifier: LGPL-2.1-or-later
// Dissemination barrier: in step s every rank tells the one 2^s above it and hears from the one 2^s
// below it; after ceil(log2 P) steps each has heard, through others, from all.
//
// Source: Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", Int. J.
// Parallel Program. 17 (1988). MPICH: barrier_intra_dissemination. Open MPI calls it bruck.
// Cost: ceil(log2 P) steps, P ceil(log2 P) messages, no items on the wire.
#include <bit>

#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

/// ceil(log2 P).
constexpr int rounds_of(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

Task dissemination_barrier(Communicator comm) {
  const int self = comm.rank(), size = comm.size();
  const Range nothing;
  for (int step : comm.phase("dissemination", rounds_of(size))) {
    const int distance = 1 << step;
    const int above = (self + distance) % size, below = (self + size - distance) % size;
    co_await comm.sendrecv(nothing, above, nothing, below);
  }
}

}  // namespace

Algorithm describe_dissemination_barrier() {
  return {
      .collective = "barrier",
      .name = "dissemination",
      .summary = "each of log2 P steps doubles the ranks that a rank has signals from",
      .run = [](Communicator comm, Workspace, Options) { return dissemination_barrier(comm); },
      .cost =
          [](int ranks, std::size_t, Options) {
            const std::int64_t steps = rounds_of(ranks);
            return Cost{steps, ranks * steps, 0};
          },
      .alike = always,
  };
}

}  // namespace ringscope
