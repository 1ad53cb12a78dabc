// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the cases of a scenario for real: the programs of the simulator's algorithms on MPI, with
// data that is checked, timed repetition by repetition.
#pragma once

#include "scenarios/answer/formats/report_formats.hpp"
#include "validation/executors/batches.hpp"
#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/mpi_executor.hpp"
#include "validation/executors/replayed.hpp"

namespace ringscope::mpi {

struct ReplayOptions {
  RepetitionRule repetitions{.stop = {.budget_s = 20}};
  StartMode start = StartMode::clock;
  bool phases = false;
  std::string
      call;  ///< a collective of MPI's own in place of the program: "MPI_Allreduce"; "" for none
};

/// A measured case. Filled in on rank 0 only.
struct CaseSamples : ringscope::CaseSamples {
  StartMode start{};
  double start_spread_s = 0;  ///< clock: median over the repetitions of the last rank's delay
  int missed_starts = 0;      ///< repetitions that were made again
};

/// Throws InputError, the same on every rank, for a scenario that this job cannot replay: another
/// number of ranks, a vector that is no whole number of floats or more than MPI can count, a
/// collective that is not the call's.
void check_replayable(const Scenario& scenario, int ranks, const ReplayOptions& options);

/// Runs one case; collective over `comm`. What each repetition computed is checked, outside of what
/// is timed. Throws WrongResult on the ranks that have one.
CaseSamples replay(const Scenario& scenario, MPI_Comm comm, MpiExecutor& executor, Vectors& vectors,
                   const ReplayOptions& options);

}  // namespace ringscope::mpi
