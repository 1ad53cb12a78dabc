// SPDX-License-Identifier: LGPL-2.1-or-later
// All ranks start a repetition together, and rank 0 learns how long it took.
#pragma once

#include <mpi.h>

#include "validation/executors/mpi/clock.hpp"

namespace ringscope::mpi {

/// clock: at a time that rank 0 names, on its clock. barrier: after two MPI_Barriers, from which
/// the ranks come out one after the other.
enum class StartMode { clock, barrier };

/// A repetition, the same on every rank.
struct Timed {
  double seconds = 0;  ///< clock: agreed start to last rank's end; barrier: slowest rank's own time
  double latest_s = 0;  ///< clock: agreed start to last rank's start
  bool missed = false;  ///< a rank heard of the agreed time when it was over: not to be kept
};

class Start {
 public:
  /// Collective.
  Start(MPI_Comm comm, StartMode mode) : comm_(comm), mode_(mode), clock_(comm) {}

  /// Returns when this rank shall start. Collective.
  void wait();
  /// `ended` is when this rank had, on its own clock. Collective.
  Timed end(double ended);

  /// Becomes barrier, once and for all, when the ranks cannot be told of a time early enough.
  StartMode mode() const { return mode_; }
  const CommonClock& clock() const { return clock_; }

 private:
  MPI_Comm comm_;
  StartMode mode_;
  CommonClock clock_;
  double ahead_s_ = 1e-3;            ///< lead time of the announcement
  double agreed_ = 0, started_ = 0;  ///< on this rank's clock
  bool missed_ = false;
};

}  // namespace ringscope::mpi
