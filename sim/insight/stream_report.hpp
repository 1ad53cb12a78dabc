// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams of the ranks of a trace or a program: which threads they are, and what they spend.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

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

}  // namespace ringscope::sim
