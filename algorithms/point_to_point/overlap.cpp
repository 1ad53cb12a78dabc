// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlap: a rank computes while a message from rank 0 to rank 1 is in flight. Does it move while
// nobody at that end is inside MPI?
//
// Source: Hoefler, Lumsdaine and Rehm, "Implementation and performance analysis of non-blocking
// collective operations for MPI", SC 2007 (the progress problem).
// Cost: 1 step, 1 message, S items on the wire.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

// At the receiver: rank 1 posts a receive and computes while the message is in flight.
Task receiver_overlap(Communicator comm, Range data, Duration compute) {
  if (comm.rank() == 0) {
    co_await comm.send(data, 1);
  } else if (comm.rank() == 1) {
    const Request incoming = comm.irecv(data, 0);
    co_await comm.compute(compute);
    co_await comm.wait(incoming);
  }
}

// At the sender: rank 0 posts a send to rank 1 and computes while it is in flight.
Task sender_overlap(Communicator comm, Range data, Duration compute) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(data, 1);
    co_await comm.compute(compute);
    co_await comm.wait(outgoing);
  } else if (comm.rank() == 1) {
    co_await comm.recv(data, 0);
  }
}

// At the sender, with help: rank 0 cuts its computation into R pieces and calls MPI_Test after
// each, so that a library without a progress thread gets to run.
//
// Source: Hoefler and Lumsdaine, "Message progression in parallel computing: to thread or not to
// thread?", Cluster 2008.
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

Algorithm overlap(std::string_view name, std::string_view summary,
                  std::vector<std::string_view> options, decltype(Algorithm::run) run) {
  return {
      .collective = "overlap",
      .name = name,
      .summary = summary,
      .options = std::move(options),
      .least_ranks = 2,
      .run = run,
      .cost =
          [](int, std::size_t items, Options) {
            return Cost{1, 1, items};
          },
  };
}

}  // namespace

Algorithm describe_receiver_overlap() {
  return overlap("receiver", "rank 1 computes while the message from rank 0 is in flight",
                 {"compute"}, on_vector<receiver_overlap, &Options::compute>);
}

Algorithm describe_sender_overlap() {
  return overlap("sender", "rank 0 computes while its message to rank 1 is in flight", {"compute"},
                 on_vector<sender_overlap, &Options::compute>);
}

Algorithm describe_sender_tests_overlap() {
  return overlap("sender_tests", "as sender, with a test after each of the computation's rounds",
                 {"compute", "rounds"},
                 on_vector<sender_tests_overlap, &Options::compute, &Options::rounds>);
}

}  // namespace ringscope
