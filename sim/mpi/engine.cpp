#include "sim/mpi/engine.hpp"

#include <utility>

namespace ringscope::sim {

void Engine::add_cpu(Uses& uses, const Caller& caller, int weight) const {
  if (settings_.free || weight == 0) return;
  for (const Use& use : cpu_of(caller)) add_use(uses, use.resource, use.weight * weight);
  if (lock_ >= 0) add_use(uses, lock_, weight);
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

void Engine::report_part() {
  const Chore& chore = chores_.front();
  owner_->worked(chore.message, parts_left_ == 1 ? Cause::overhead : Cause::copy,
                 chore.caller->rank, ledger_->bottleneck());
}

void Engine::submit(const Chore& chore) {
  chores_.push_back(chore);
  if (chores_.size() == 1 && running()) begin();
}

// Starts the first chore; chores that cost nothing are finished on the spot, one after the other.
void Engine::begin() {
  while (!chores_.empty() && flight_ < 0 && running()) {
    const Chore& chore = chores_.front();
    // What it waited for in the queue was the CPU that worked on the chores before it.
    owner_->worked(chore.message, Cause::copy, chore.caller->rank,
                   cpu_of(*chore.caller).front().resource);
    parts_left_ = 2;
    next_part();
  }
}

void Engine::next_part() {
  const Chore& chore = chores_.front();
  uses_.clear();
  double amount = 0;
  while (parts_left_ > 0 && amount == 0) {
    const bool time = parts_left_-- == 2;
    if (settings_.free) continue;
    add_cpu(uses_, *chore.caller, time ? scale_->compute_weight() : chore.weight);
    if (!time && chore.memory != nullptr)
      for (const Use& use : *chore.memory) add_use(uses_, use.resource, use.weight);
    if (!uses_.empty()) amount = time ? scale_->compute_amount(chore.seconds) : chore.bytes;
    if (amount == 0) uses_.clear();
  }
  if (amount > 0) {
    flight_ = ledger_->start(amount, uses_, Callback::to<&Engine::part_done>(this));
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
  if (chores_.empty() && idle_caller_ != nullptr)
    std::exchange(idle_caller_, nullptr)->completed(-1);
}

}  // namespace ringscope::sim
