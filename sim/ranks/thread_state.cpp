// SPDX-License-Identifier: LGPL-2.1-or-later
// State of a thread for steady_state.hpp: what it is at an instant, and how it goes on later.
#include "sim/ranks/thread_state.hpp"

#include "sim/mpi/state_fields.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

ThreadState::ThreadState(Run& run, int index, RankThread& first)
    : run_(&run), index_(index), first_(&first) {}

void RankThread::list_threads(std::vector<RankThread*>& threads) {
  threads.push_back(this);
  for (const auto& other : others_) threads.push_back(other.get());
}

void RankThread::list_cursors(std::vector<PathCursor*>& cursors) {
  cursors.push_back(&path);
  for (FlagState& flag : flags_) cursors.push_back(&flag.path);
}

void RankThread::describe(StateRecord& record, int step) const {
  record.add(in_alike_steps());
  if (in_alike_steps()) {
    record.add(loop_);
    record.add(step_ + skipped_ - step);
    record.add(performed_ - step_began_);
  } else {
    record.add(performed_);
  }
  StateFields fields(record, *run_->mpi, now(), {}, !in_alike_steps());
  Caller::visit(static_cast<const Caller&>(*this), fields);
  ThreadState::visit(static_cast<const ThreadState&>(*this), fields);
}

void RankThread::describe(StateRecord& record, const Agenda& agenda) const {
  for (const Agenda::Entry& entry : agenda.of(this, 0)) record.add(entry);
}

void RankThread::skip(int steps, double seconds, int times, const TimeAccount& before) {
  if (!in_alike_steps()) return;
  skipped_ += steps;
  const auto& [seconds_before, waited_before, groups_before] = before;
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    seconds_[i] += times * (seconds_[i] - seconds_before[i]);
  if (waited_for_[Cause::partner] > waited_before[Cause::partner]) partner_until_ += seconds;
  for (std::size_t i = 0; i < waited_for_.size(); ++i)
    waited_for_[i] += times * (waited_for_[i] - waited_before[i]);
  in_groups_.repeat(times, groups_before);
  const DateShift shift(seconds);
  ThreadState::visit(static_cast<ThreadState&>(*this), shift);
}

}  // namespace ringscope::sim
