// SPDX-License-Identifier: LGPL-2.1-or-later
// ringscope-mpi: the scenarios of the simulator, run for real by an MPI job, and its probes.
//
// Not linked with the simulator: SimGrid's library defines MPI's functions too, its own ones.
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/mpi/job.hpp"
#include "cli/terminal/failure.hpp"
#include "topologies/input/input.hpp"
#include "validation/executors/mpi/replay.hpp"

namespace ringscope::mpi {
namespace {

/// Bad input is found by every rank: one says so, and all end in good order.
int refuse(const InputError& error) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) MPI_Init(nullptr, nullptr);
  if (rank_of(MPI_COMM_WORLD) == 0) fmt::print(stderr, "{}\n", error.what());
  MPI_Finalize();
  return static_cast<int>(ExitCode::bad_input);
}

/// An error that only this rank has found ends the others too. MPICH's launcher loses what it has
/// not passed on when it hears of the end, so this rank waits until it has.
int abort_all(const char* message, ExitCode code) {
  report(message, code);
  std::fflush(stderr);
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  }
  return static_cast<int>(code);
}

}  // namespace
}  // namespace ringscope::mpi

int main(int count, char** words) {
  using namespace ringscope;
  try {
    return run_program("ringscope-mpi", mpi::subcommands, count, words);
  } catch (const Failure& failure) {
    return mpi::abort_all(failure.what(), failure.code());
  } catch (const InputError& error) {
    return mpi::refuse(error);
  } catch (const WrongResult& error) {
    return mpi::abort_all(error.what(), ExitCode::wrong_result);
  } catch (const std::exception& error) {
    return mpi::abort_all(error.what(), ExitCode::stuck);
  }
}
