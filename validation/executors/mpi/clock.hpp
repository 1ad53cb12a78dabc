// SPDX-License-Identifier: LGPL-2.1-or-later
// Time, on the wall and on the CPU, and two ways to let it pass without calling MPI.
#pragma once

#include <mpi.h>

#include <vector>

#include "validation/executors/measurement.hpp"

namespace ringscope::mpi {

// CPU time of an MPI job's ranks and of their machines.

/// Counts from its construction on, one in each rank.
class CpuWatch {
 public:
  CpuWatch();

  /// Load by others than the ranks of `job` so far; on rank 0, nullopt elsewhere and where a rank
  /// does not know it. Collective.
  std::optional<ForeignLoad> foreign(MPI_Comm job) const;

 private:
  double start_s_, own_s_;
  std::optional<MachineCpu> machine_;
};

// The clocks.

double now_s();          ///< since some moment in the past
double process_cpu_s();  ///< used by all threads of this process, in user and kernel mode

void spin(double seconds);  ///< as a computation does: the core is busy
void doze(double seconds);  ///< the core is free for others

// One clock for all ranks: rank 0's, by the offset of every other to it.

/// Sleeps, then spins for the last moment, until now_s() is `time`.
void wait_until(double time);

/// Rank 0's clock, as this rank knows it. Ranks on one machine (its namespaces and containers too)
/// read the same clock. Between machines the offset is measured by ping-pongs: rank 0's two
/// readings enclose the other's one, most closely in the shortest round trip.
class CommonClock {
 public:
  /// Collective.
  explicit CommonClock(MPI_Comm comm);

  /// Measures the offsets anew when the last measurement is older than a second: clocks drift apart
  /// by some microseconds in that time. Collective.
  void refresh();

  double here(double common) const { return common - offset_; }
  double common(double here) const { return here + offset_; }
  /// Seconds by which this rank's offset may be wrong.
  double uncertainty() const { return uncertainty_; }

 private:
  void measure();
  void measure_against(int rank);
  void answer();

  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<int> elsewhere_;  ///< the ranks that read another clock than rank 0
  double measured_at_ = 0, offset_ = 0, uncertainty_ = 0;
};

// All ranks start a repetition together, and rank 0 learns how long it took.

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
