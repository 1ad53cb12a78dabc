// SPDX-License-Identifier: LGPL-2.1-or-later
// Many messages in flight at once.
#pragma once

#include "validation/executors/mpi/probes/bench.hpp"
#include "validation/executors/mpi/probes/exchange.hpp"

namespace ringscope::mpi {

struct Stream {
  std::uint64_t bytes = 0;  ///< of a message
  int window = 1;           ///< messages between two answers
  int pairs = 1;            ///< parts 0..pairs-1 of the team send to pairs..2*pairs-1
  int directions = 1;       ///< 2: and the other way round at the same time
  int tag = data_tag;       ///< another one for each thread
};

/// Some MiB, so that answers do not count, and at least two messages.
int window_of(std::uint64_t bytes);

/// Runs `windows` windows between this rank and its partner. `sent` holds one message, `received`
/// a window of them.
void run_stream(const Team& team, MPI_Comm comm, const Stream& stream, int windows,
                const std::byte* sent, std::byte* received);

/// Seconds of so many windows over the team's communicator, on the slowest rank.
double time_stream(Bench& bench, const Team& team, const Stream& stream, int windows);

}  // namespace ringscope::mpi
