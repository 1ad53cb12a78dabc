// Runs the cases of a scenario for real: the text of the simulator's algorithms on MPI, with data
// that is checked, timed repetition by repetition.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "validation/mpi/mpi_executor.hpp"

namespace ringscope::mpi {

struct ReplayOptions {
  int warmups = 2;
  int repetitions = 10;
};

/// One rank's share of a case.
struct RankSamples {
  std::string host;
  /// Seconds inside each verb, mean over the repetitions; indexed by Verb.
  std::array<double, verb_names.size()> seconds{};
};

/// A measured case. Filled in on rank 0 only.
struct CaseSamples {
  std::vector<double> samples_s;  ///< of each repetition: the slowest rank's
  std::vector<RankSamples> ranks;
};

/// A vector that is not what the loopback executor says: names rank, item and what stood there.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws InputError, the same on every rank, for a scenario that this job cannot replay: another
/// number of ranks, a vector that is no whole number of floats or more than MPI can count.
void check_replayable(const Scenario& scenario, int ranks);

/// Runs one case; collective over `comm`. Every repetition starts after two barriers and is checked
/// outside of what is timed. Throws WrongResult on the ranks that have one.
CaseSamples replay(const Scenario& scenario, MPI_Comm comm, MpiExecutor& executor, Vectors& vectors,
                   const ReplayOptions& options);

}  // namespace ringscope::mpi
