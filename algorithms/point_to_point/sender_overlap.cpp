// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlap at the sender: rank 0 posts a send to rank 1 and computes while it is in flight. Does the
// message move while nobody at this end is inside MPI?
//
// Source: Hoefler, Lumsdaine and Rehm, "Implementation and performance analysis of non-blocking
// collective operations for MPI", SC 2007 (the progress problem).
// Cost: 1 step, 1 message, S items on the wire.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task sender_overlap(Communicator comm, Range data, Duration compute) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(data, 1);
    co_await comm.compute(compute);
    co_await comm.wait(outgoing);
  } else if (comm.rank() == 1) {
    co_await comm.recv(data, 0);
  }
}

}  // namespace

Algorithm describe_sender_overlap() {
  return {
      .collective = "overlap",
      .name = "sender",
      .summary = "rank 0 computes while its message to rank 1 is under way",
      .options = {"compute"},
      .least_ranks = 2,
      .run = on_vector<sender_overlap, &Options::compute>,
      .cost =
          [](int, std::size_t items, Options) {
            return Cost{1, 1, items};
          },
  };
}

}  // namespace ringscope
