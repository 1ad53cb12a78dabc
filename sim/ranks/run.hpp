// SPDX-License-Identifier: LGPL-2.1-or-later
// State that all threads of a run share, and the queue of those that go on at this instant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "sim/mpi/mpi.hpp"
#include "sim/ranks/group_times.hpp"
#include "sim/ranks/noise.hpp"

namespace ringscope::sim {

class Detours;
class KnownCollectives;
class RankThread;

/// The threads that have something to do at this instant; they run once everything that is
/// happening has happened, in the order in which they were called.
class ReadyQueue {
 public:
  explicit ReadyQueue(Kernel& kernel) : kernel_(&kernel) {}
  void add(RankThread& thread);

 private:
  void drain(std::uint64_t);

  Kernel* kernel_;
  std::vector<RankThread*> ready_, running_;
};

/// "allgather"; "inside hosts: allgather" where an algorithm is made of others.
std::string phase_text(const Mark& mark);

/// First in and last out of each phase, over all ranks.
struct PhaseTimes {
  std::string_view name, part;
  double start = 0, end = 0;  ///< s, as the kernel counts
};

/// One value that the program of a rank wanted reported.
struct Observed {
  std::string_view what;
  int rank = 0;
  double value = 0, at = 0;
};

/// A batch that the input prepares: from when to when, and the time of cores that it takes.
struct Prepared {
  int rank = 0;
  double start = 0, end = 0;  ///< s, as the kernel counts; no end while it does
  double core_seconds = 0;
};

/// A flag of a rank.
struct FlagState {
  std::size_t raised = 0;
  double since = 0;  ///< s, as the kernel counts: raised last
  PathCursor path;   ///< of who raised it last
  int group = -1;    ///< that this one's calls were on; -1: none. A wait for the flag counts there
};

/// Told when rank 0 begins a step of its phase.
class StepObserver {
 public:
  virtual void step_begun(int step) = 0;

 protected:
  ~StepObserver() = default;
};

/// State shared by all threads of a run.
struct Run {
  Machine* machine = nullptr;
  Ledger* ledger = nullptr;
  Paths* paths = nullptr;
  Mpi* mpi = nullptr;
  ReadyQueue* ready = nullptr;
  Noises* noises = nullptr;
  Noises* inputs = nullptr;    ///< of the time of a batch
  Detours* detours = nullptr;  ///< null: none
  std::vector<PhaseTimes> phases;
  std::vector<Observed> observed;
  std::vector<Span>* spans = nullptr;  ///< null: not recorded
  std::vector<Prepared> prepared;      ///< none where spans are not recorded
  /// Threads of each rank whose spans are recorded, and of those behind them the ones that are
  /// shown while they do not wait for another thread.
  int shown_threads = 1, shown_at_work = 0;
  StepObserver* steps = nullptr;  ///< null: nobody asks
  std::vector<int> requests{};    ///< of the verb in progress
  Splits<RankThread> splits{};
  GroupNames groups{};
  std::vector<Stage> waited{};  ///< causes of the wait that ends; else empty
  /// Channels of a kernel that do the same are performed once.
  bool alike_once = false;
  KnownCollectives* known = nullptr;  ///< null: all are simulated
  int unfinished = 0;                 ///< ranks whose first thread still has something to do
};

}  // namespace ringscope::sim
