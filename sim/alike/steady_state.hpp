// SPDX-License-Identifier: LGPL-2.1-or-later
// Skips whole periods of a run in which every rank does the same again and again.
//
// Where a program marks its steps as equal, the state of the run is looked at whenever a thread
// of rank 0 begins one. When it comes back, up to the steps that the ranks are at, everything from
// there on comes back too: so as many periods are skipped as fit before a rank reaches its last
// step, each rank goes on at a later step, and what is kept account of is added as often. A thread
// that is not in such steps, such as one that waits for another, has to stand where it stood.
//
// States are kept at steps 1, 2, 4, 8, 16, 32, 49, ... and compared with the few that follow each:
// a period of up to 16 steps is found wherever the run gets into it (after R. P. Brent, An improved
// Monte Carlo factorization algorithm, BIT 20, 1980).
#pragma once

#include <memory>
#include <vector>

#include "sim/machine/state_record.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// True if nothing of a scenario is random but how late each rank begins: it has no noise, no
/// background jobs, and no routes that follow the load.
bool repeats_itself(const Scenario& scenario);

class SteadyState final : public StepObserver {
 public:
  /// Time and messages skipped since the last restart().
  struct Skipped {
    double seconds = 0;
    std::uint64_t messages = 0;
  };

  SteadyState(Run& run, const std::vector<std::unique_ptr<RankThread>>& ranks)
      : run_(&run), ranks_(&ranks) {}

  void restart();
  /// Rank 0 has begun step `step` of its phase.
  void step_begun(int step) override;
  const Skipped& skipped() const { return skipped_; }

 private:
  struct Accounts {
    std::vector<RankThread::TimeAccount> threads;
    std::vector<double> used;  ///< by resource
    Traffic traffic;
    Machine::Sent sent;
    std::size_t observed = 0;
  };

  void look(std::uint64_t);
  void keep();
  bool describe();
  bool came_back();
  Accounts accounts() const;
  std::vector<PathCursor*> cursors();
  int periods(int steps) const;
  void skip(int steps, int periods);

  Run* run_;
  const std::vector<std::unique_ptr<RankThread>>* ranks_;
  Skipped skipped_;
  bool asked_ = false;                ///< to be called at the end of the instant
  int step_ = 0;                      ///< of rank 0
  std::vector<RankThread*> threads_;  ///< of all ranks
  StateRecord record_;
  int kept_step_ = 0;  ///< described by the record; 0: none
  double kept_at_ = 0;
  Accounts kept_;
  std::vector<PathCursor> marks_;
  std::vector<int> messages_;  ///< in flight, in the order in which they are described
};

}  // namespace ringscope::sim
