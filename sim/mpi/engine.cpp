// SPDX-License-Identifier: LGPL-2.1-or-later

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {
namespace {

bool needs_memory(const WorkItem& item) {
  return item.memory != nullptr && !item.memory->empty() && item.bytes > 0;
}

}  // namespace

void Engine::add_cpu(Uses& uses, const Caller& caller, int weight) const {
  if (free_ || weight == 0) return;
  add_uses(uses, cpu_of(caller), weight);
  add_use(uses, lock_, weight);
}

void Engine::enter(Caller& caller) {
  if (++inside_ > 1 || always_on_) return;
  if (work_items_.empty()) return begin_idling();
  mpi_->resumed(work_items_.front().message, caller);
  if (paused_) {
    paused_ = false;
    ledger_->resume(activity_);
  } else {
    begin();
  }
}

void Engine::leave() {
  if (--inside_ > 0 || always_on_) return;
  end_idling();
  if (activity_ < 0) return;
  ledger_->pause(activity_);
  paused_ = true;
  report_part();
}

// Reports the cause of the window that has just closed: the poll, the overhead, then the copy.
void Engine::report_part() {
  const WorkItem& item = work_items_.front();
  const int rank = item.caller->rank, resource = ledger_->bottleneck();
  const double now = ledger_->now(), start = ledger_->window_start();
  if (parts_left_ == 2) return mpi_->stage(item.message, Cause::overhead, rank, resource, now);
  if (parts_left_ == 1) {
    const double copy = needs_memory(item) ? 0 : item.copy();
    const double all = item.seconds + item.registration + copy;
    const auto until = [&](double part) { return start + part / all * (now - start); };
    mpi_->stage(item.message, Cause::overhead, rank, resource, until(item.seconds));
    if (item.registration > 0)
      mpi_->stage(item.message, Cause::pinning, rank, resource,
                  until(item.seconds + item.registration));
  }
  mpi_->stage(item.message, Cause::copy, rank, resource, now);
}

void Engine::submit(const WorkItem& item) {
  if (work_items_.full()) work_items_.set_capacity(2 * work_items_.capacity() + 1);
  work_items_.push_back(item);
  if (work_items_.size() > 1 || !running()) return;
  end_idling();
  begin();
}

// Starts the first work item; items that cost nothing are finished on the spot, in turn.
void Engine::begin() {
  while (!work_items_.empty() && activity_ < 0 && running()) {
    const WorkItem& item = work_items_.front();
    // Waiting in the queue is blamed on the CPU that worked on the items before it.
    mpi_->stage(item.message, Cause::copy, item.caller->rank, cpu_of(*item.caller).front().resource,
                ledger_->now());
    parts_left_ = item.poll > 0 && found_ == 0 ? 3 : 2;
    next_part();
  }
  if (work_items_.empty() && running()) begin_idling();
}

// The parts of a work item: a poll, where the last one did not find it, and which finds all that
// has come by its end; CPU time, for the message and for its bytes; but bytes that use memory too
// are a part of their own.
void Engine::next_part() {
  const WorkItem& item = work_items_.front();
  const double copy = item.copy();
  Uses& uses = ledger_->fresh_uses();
  double amount = 0;
  if (free_) parts_left_ = 0;
  if (parts_left_ == 3) {
    --parts_left_;
    amount = scale_->compute_amount(item.poll);
    add_cpu(uses, *item.caller, scale_->compute_weight());
  } else if (parts_left_ == 2) {
    --parts_left_;
    amount =
        scale_->compute_amount(item.seconds + item.registration + (needs_memory(item) ? 0 : copy));
    if (amount > 0) add_cpu(uses, *item.caller, scale_->compute_weight());
  }
  if (amount == 0 && parts_left_ == 1) {
    --parts_left_;
    amount = needs_memory(item) ? item.bytes : 0;
    if (amount > 0) {
      add_cpu(uses, *item.caller, scale_->weight(item.cost));
      add_uses(uses, *item.memory);
    }
  }
  if (amount > 0) {
    activity_ = ledger_->start(amount, uses, Callback::to<&Engine::part_done>(this));
    return;
  }
  const Callback done = item.done;
  work_items_.pop_front();
  if (found_ > 0) --found_;
  done();
}

void Engine::part_done(std::uint64_t) {
  activity_ = -1;
  report_part();
  if (parts_left_ == 2) found_ = work_items_.size();
  next_part();
  begin();
  if (!work_items_.empty()) return;
  if (idle_callers_.empty()) return;
  for (Caller* caller : std::exchange(idle_callers_, {})) caller->completed(-1);
}

}  // namespace ringscope::sim
