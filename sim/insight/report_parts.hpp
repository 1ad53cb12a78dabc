// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the report of a run: its critical path, what its programs observe, its training steps.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "scenarios/answer/path_chain.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

// Streams of the ranks of a trace or a program: which threads they are, and what they spend.

/// Threads of a rank that reports show.
struct ShownThreads {
  int streams = 1;           ///< the first ones
  int messages = 0;          ///< behind them: each carries one message at a time
  Table<std::string> names;  ///< of all; none where there is one
};
ShownThreads shown_threads(const Job& job);

/// Names the communicators of a program for GroupNames.
void name_groups(const Job& job, GroupNames& names);

/// None where ranks have one stream and no groups. `ranks`: first threads, as they stand when the
/// job has ended, after `time_s`.
std::vector<StreamReport> stream_reports(const Run& run,
                                         std::span<const std::unique_ptr<RankThread>> ranks,
                                         double time_s);

/// Loads of GPUs and of hosts' processes, as nvidia-smi and top sample them. `spans`: of the job's
/// ranks, from its `start` on.
std::vector<SampleReport> samples_of(const Run& run, std::span<const Span> spans, double start,
                                     double time_s);

// Other parts of the report.

/// From a chain of segments to the critical path as reports show it.
struct ChainOf {
  const Run& run;
  double start = 0;                  ///< of the repetition, s, as the kernel counts
  double elapsed = 0;                ///< s
  const Table<double>& used_before;  ///< of each resource, at its start

  PathChain chain(const PathCursor& end) const;

 private:
  std::vector<ChainSegment> segments(const Paths::Chain& chain) const;
  ResourceReport resource(int id) const;
};

// Observations of all ranks' programs, summed up.

/// One entry per thing observed, in the order in which they first were.
std::vector<Observation> observations_of(std::span<const Observed> observed);

// Shares of a training step, from the observations of its devices.

/// `start`: when the repetition began, which took `time_s`; `ranks`: its accounts. Nothing for
/// other jobs.
std::optional<TrainingReport> training_report(const Run& run, double start, double time_s,
                                              std::span<const RankReport> ranks);

/// The means over the ranks of their groups.
std::vector<GroupReport> mean_groups(std::span<const RankReport> ranks);

/// Observations of a training job that are news to a reader: only the ends of steps.
std::vector<Observed> worth_reporting(const Run& run);

}  // namespace ringscope::sim
