// SPDX-License-Identifier: LGPL-2.1-or-later
// State of one thread of a rank, member by member. A class of its own: one whose bases have members
// cannot be bound in a visit().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "base/view.hpp"
#include "sim/ranks/run.hpp"
#include "sim/ranks/verb_queue.hpp"

namespace ringscope::sim {

class ThreadState {
 protected:
  ThreadState(Run& run, int index, RankThread& first);

  // Position in the program and accounts are RankThread's to describe and to skip.
  static void visit(auto& self, auto& fields) {  // sim/mpi/state_fields.hpp
    auto& [run, index, threads, first, body, verbs, missing, finished, in_use, on_cpu, in_blocks,
           cpu_cause, tail_share, tail_cause, held_since, held_from, taken_before, joiner, mark,
           phase, step, steps, skipped, performed, step_began, loop, activity, blocked_by,
           activity_since, finish_time, began, block_ended, partner_until, slept_since, slept,
           seconds, waited_for, in_groups, queued, others, flags, reached, reached_at,
           reached_flag] = self;
    fields.exact(finished, in_use, missing, joiner == nullptr, on_cpu, static_cast<int>(activity));
    fields.date(activity_since);
    if (on_cpu) {
      fields.exact(static_cast<int>(cpu_cause), static_cast<int>(tail_cause));
      fields.amount(tail_share);
    }
    fields.exact(flags.size());
    for (const auto& [raised, since, path, group] : flags) fields.exact(raised);
    VerbQueue::visit(verbs, fields);
  }

  Run* run_;
  int index_;
  int threads_ = 1;         ///< of this rank; those behind them are non-blocking collectives
  RankThread* first_;       ///< of this rank; itself for the first
  std::vector<Task> body_;  ///< one, or none
  VerbQueue verbs_;
  int missing_ = 0;  ///< awaited and not complete; see await_all()
  bool finished_ = true;
  bool in_use_ = false;  ///< of a further thread: started and not yet joined
  bool on_cpu_ = false;
  int in_blocks_ = 0;  ///< that it performs, or that do what one does
  Cause cpu_cause_{};
  /// Tail of the CPU time in progress: the copy or the pinning that follows the overhead, the noise
  /// after a computation.
  double tail_share_ = 0;
  Cause tail_cause_ = Cause::copy;
  double held_since_ = -1;   ///< s: when a detour kept it from going on, last; -1: none does
  double held_from_ = -1;    ///< s: the same, of this turn
  double taken_before_ = 0;  ///< s: by detours, when the CPU time in progress began
  RankThread* joiner_ = nullptr;
  Mark mark_;
  int phase_ = -1;
  /// Step of a phase whose steps are alike, from its second one on; else 0.
  int step_ = 0, steps_ = 0;
  int skipped_ = 0;               ///< steps that the next one comes later
  std::uint64_t performed_ = 0;   ///< verbs: the position in a program without such steps
  std::uint64_t step_began_ = 0;  ///< the same, when the step did
  std::uint64_t loop_ = 0;        ///< and when the second of these steps did
  RankActivity activity_ = RankActivity::idle;
  Cause blocked_by_ = Cause::partner;  ///< while that is one thing
  double activity_since_ = 0;
  double finish_time_ = 0;
  double began_ = 0;          ///< s: its program, the last time
  double block_ended_ = 0;    ///< s: the last one
  double partner_until_ = 0;  ///< s: when the last wait for a partner ended
  double slept_since_ = 0;    ///< s: its last sleep began, or that of a thread that it waited for
  std::uint64_t slept_ = 0;   ///< performed_ when that ended
  Array<double, activity_names.size()> seconds_{};
  CauseSeconds waited_for_{};
  GroupTimes in_groups_;
  bool queued_ = false;  ///< in the run's ready queue

  // Cold members last.
  Table<std::unique_ptr<RankThread>> others_;
  Table<FlagState> flags_;  ///< of the first thread, for all; none before the first is used
  PathCursor reached_;      ///< when it last found a flag raised while it slept
  double reached_at_ = -1;  ///< s: the date of that; -1: not since it slept last
  std::pair<int, std::size_t> reached_flag_;  ///< that flag, and the count
};

}  // namespace ringscope::sim
