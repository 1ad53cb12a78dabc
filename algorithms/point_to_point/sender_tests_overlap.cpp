// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlap at the sender, with help: rank 0 cuts its computation into R pieces and calls MPI_Test
// after each, so that a library without a progress thread gets to run.
//
// Source: Hoefler and Lumsdaine, "Message progression in parallel computing: to thread or not to
// thread?", Cluster 2008.
// Cost: 1 step, 1 message, S items on the wire.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task sender_tests_overlap(Communicator comm, Range data, Duration compute, int pieces) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(data, 1);
    bool sent = false;
    for ([[maybe_unused]] int step : comm.phase("compute", pieces)) {
      co_await comm.compute(compute / pieces);
      if (!sent) sent = co_await comm.test(outgoing);
    }
    if (!sent) co_await comm.wait(outgoing);
  } else if (comm.rank() == 1) {
    co_await comm.recv(data, 0);
  }
}

}  // namespace

Algorithm describe_sender_tests_overlap() {
  return {
      .collective = "overlap",
      .name = "sender_tests",
      .summary = "as sender, with a test after each of the computation's rounds",
      .options = {"compute", "rounds"},
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return sender_tests_overlap(comm, work.data, options.compute, options.rounds);
          },
      .cost =
          [](int, std::size_t items, Options) {
            return Cost{1, 1, items};
          },
  };
}

}  // namespace ringscope
