// SPDX-License-Identifier: LGPL-2.1-or-later
// Shift: each rank sends its vector to the next one and receives that of the one before, both
// posted at once.
//
// Source: nccl-tests, src/sendrecv.cu; Intel MPI Benchmarks, Sendrecv.
// Cost: a step, P messages, PS items on the wire.

#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task posted_sendrecv(Communicator comm, Range data, Range received) {
  if (comm.size() > 1) {
    const std::array both = {comm.irecv(received, comm.prev()), comm.isend(data, comm.next())};
    co_await comm.wait_all(both);
  } else {
    co_await comm.copy(received, data);
  }
}

}  // namespace

Algorithm describe_posted_sendrecv() {
  return {
      .collective = "sendrecv",
      .name = "posted",
      .summary = "a send to the next rank and a receive from the one before, posted together",
      .ring = true,
      .run =
          [](Communicator comm, Workspace work, Options) {
            return posted_sendrecv(comm, work.data, work.scratch.first(work.data.size));
          },
      .cost =
          [](int ranks, std::size_t items, Options) {
            if (ranks == 1) return Cost{};
            return Cost{
                .steps = 1, .messages = ranks, .items = static_cast<std::uint64_t>(ranks) * items};
          },
      .scratch_items = [](int, std::size_t items, Options) { return items; },
      .alike = always,
  };
}

}  // namespace ringscope
