// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlap at the receiver: rank 1 posts a receive and computes while the message is in flight. Does
// the message move while nobody at that end is inside MPI?
//
// Source: Hoefler, Lumsdaine and Rehm, "Implementation and performance analysis of non-blocking
// collective operations for MPI", SC 2007 (the progress problem).
// Cost: 1 step, 1 message, S items on the wire.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task receiver_overlap(Communicator comm, Range data, Duration compute) {
  if (comm.rank() == 0) {
    co_await comm.send(data, 1);
  } else if (comm.rank() == 1) {
    const Request incoming = comm.irecv(data, 0);
    co_await comm.compute(compute);
    co_await comm.wait(incoming);
  }
}

}  // namespace

Algorithm describe_receiver_overlap() {
  return {
      .collective = "overlap",
      .name = "receiver",
      .summary = "rank 1 computes while the message from rank 0 is under way",
      .options = {"compute"},
      .least_ranks = 2,
      .run = on_vector<receiver_overlap, &Options::compute>,
      .cost =
          [](int, std::size_t items, Options) {
            return Cost{1, 1, items};
          },
  };
}

}  // namespace ringscope
