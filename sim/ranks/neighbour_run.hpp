// SPDX-License-Identifier: LGPL-2.1-or-later
// A background job beside the foreground job: round after round of its program.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// Program of a rank of the job: its algorithm, or that beside a computation.
Task job_program(const Job& job, const Options& options, Communicator comm, Workspace work);
/// The vectors of each of `ranks` ranks that perform it.
Workspace workspace(const Job& job, const Options& options, int ranks);

/// Random, in [0, the job's skew).
template <typename Random>
double start_delay(const Job& job, Random& random) {
  // 53 random bits: the same number on every machine, unlike std::uniform_real_distribution.
  return static_cast<double>(random() >> 11) * 0x1p-53 * job.skew.count();
}

/// A round begins when all ranks have ended the one before. Phases and observations of its programs
/// are not reported: a background job is there for its load.
class NeighbourRun {
 public:
  using Ranks = std::span<const std::unique_ptr<RankThread>>;
  /// `ranks`, which outlive this, are the background job's; `again` is asked before each further
  /// round of one that runs in a loop.
  NeighbourRun(const Neighbour& neighbour, Run& run, Ranks ranks, std::function<bool()> again);
  ~NeighbourRun();
  NeighbourRun& operator=(NeighbourRun&&) = delete;  ///< neither copied nor moved

  /// A repetition of all jobs.
  void begin(std::uint64_t seed);
  /// Report after all its rounds have ended; times are those since `start`.
  NeighbourReport report(double start) const;

 private:
  class JobRank;
  Executor& in_front_of(Executor& inner);
  void begin_round();
  Task one_round(Communicator comm, Workspace work);
  void round_ended(std::uint64_t);

  const Neighbour* neighbour_;
  Run* run_;
  Ranks ranks_;
  std::function<bool()> again_;
  PlacedOptions options_;
  std::map<Executor*, std::unique_ptr<JobRank>> members_;
  std::vector<double> delays_;  ///< of each rank, before the first round
  int rounds_ = 0;              ///< begun
  int left_ = 0;                ///< ranks that have not ended the round
  double began_ = 0;            ///< the round
};

}  // namespace ringscope::sim
