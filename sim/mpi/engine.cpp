#include "sim/mpi/engine.hpp"

#include <utility>

namespace ringscope::sim {
namespace {

bool needs_memory(const Chore& chore) {
  return chore.memory != nullptr && !chore.memory->empty() && chore.bytes > 0;
}

}  // namespace

void Engine::add_cpu(Uses& uses, const Caller& caller, int weight) const {
  if (settings_.free || weight == 0) return;
  add_uses(uses, cpu_of(caller), weight);
  add_use(uses, lock_, weight);
}

void Engine::enter(Caller& caller) {
  if (++inside_ > 1 || settings_.always_on || chores_.empty()) return;
  owner_->resumed(chores_.front().message, caller);
  if (paused_) {
    paused_ = false;
    ledger_->resume(flight_);
  } else {
    begin();
  }
}

void Engine::leave() {
  if (--inside_ > 0 || settings_.always_on || flight_ < 0) return;
  ledger_->pause(flight_);
  paused_ = true;
  report_part();
}

// Reports the cause of the window that has just closed: the overhead first, then the copy.
void Engine::report_part() {
  const Chore& chore = chores_.front();
  const int rank = chore.caller->rank, resource = ledger_->bottleneck();
  const double now = ledger_->now(), start = ledger_->window_start();
  if (parts_left_ == 1) {
    const double copy = needs_memory(chore) ? 0 : chore.bytes * chore.cost.seconds_per_byte;
    const double share = chore.seconds / (chore.seconds + copy);
    owner_->worked(chore.message, Cause::overhead, rank, resource, start + share * (now - start));
  }
  owner_->worked(chore.message, Cause::copy, rank, resource, now);
}

void Engine::submit(const Chore& chore) {
  if (chores_.full()) chores_.set_capacity(2 * chores_.capacity() + 1);
  chores_.push_back(chore);
  if (chores_.size() == 1 && running()) begin();
}

// Starts the first work item; items that cost nothing are finished on the spot, in turn.
void Engine::begin() {
  while (!chores_.empty() && flight_ < 0 && running()) {
    const Chore& chore = chores_.front();
    // Waiting in the queue is blamed on the CPU that worked on the items before it.
    owner_->worked(chore.message, Cause::copy, chore.caller->rank,
                   cpu_of(*chore.caller).front().resource, ledger_->now());
    parts_left_ = 2;
    next_part();
  }
}

// The parts of a work item: CPU time, for the message and for its bytes; but bytes that use memory
// too are a part of their own.
void Engine::next_part() {
  const Chore& chore = chores_.front();
  const double copy = chore.bytes * chore.cost.seconds_per_byte;
  Uses& uses = ledger_->fresh_uses();
  double amount = 0;
  if (settings_.free) parts_left_ = 0;
  if (parts_left_ == 2) {
    --parts_left_;
    amount = scale_->compute_amount(chore.seconds + (needs_memory(chore) ? 0 : copy));
    if (amount > 0) add_cpu(uses, *chore.caller, scale_->compute_weight());
  }
  if (amount == 0 && parts_left_ == 1) {
    --parts_left_;
    amount = needs_memory(chore) ? chore.bytes : 0;
    if (amount > 0) {
      add_cpu(uses, *chore.caller, scale_->weight(chore.cost));
      add_uses(uses, *chore.memory);
    }
  }
  if (amount > 0) {
    flight_ = ledger_->start(amount, uses, Callback::to<&Engine::part_done>(this));
    return;
  }
  const Chore done = chore;
  chores_.pop_front();
  owner_->finished(done);
}

void Engine::part_done(std::uint64_t) {
  flight_ = -1;
  report_part();
  next_part();
  begin();
  if (!chores_.empty()) return;
  if (idle_callers_.empty()) return;
  for (Caller* caller : std::exchange(idle_callers_, {})) caller->completed(-1);
}

}  // namespace ringscope::sim
