// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/steady_state.hpp"

#include <climits>

namespace ringscope::sim {
namespace {

/// Steps over which a period is looked for.
constexpr int longest_period = 16;

}  // namespace

bool repeats_itself(const Scenario& scenario) {
  const bool chance = scenario.job.draws_times() || scenario.library.has_jitter();
  return !chance && scenario.neighbours.empty() &&
         scenario.cluster.topology.routing() == Routing::hash;
}

void SteadyState::restart() {
  skipped_ = {};
  asked_ = false;
  kept_step_ = 0;
  marks_.clear();
  threads_.clear();
  for (const auto& rank : *ranks_) rank->list_threads(threads_);
}

void SteadyState::step_begun(int step) {
  step_ = step;
  if (std::exchange(asked_, true)) return;
  run_->ledger->kernel().at_end_of_instant(Callback::to<&SteadyState::look>(this));
}

void SteadyState::look(std::uint64_t) {
  asked_ = false;
  if (step_ < kept_step_) kept_step_ = 0;  // another phase
  if (kept_step_ == 0 || step_ >= std::min(2 * kept_step_, kept_step_ + longest_period + 1))
    return keep();
  const int steps = step_ - kept_step_;
  if (steps <= 0 || steps > longest_period || !came_back()) return;
  if (const int times = periods(steps); times > 0) skip(steps, times);
}

void SteadyState::keep() {
  record_.take_down();
  if (!describe()) {
    kept_step_ = 0;
    return;
  }
  kept_step_ = step_;
  kept_at_ = run_->ledger->now();
  kept_ = accounts();
  marks_ = run_->paths->snapshot(cursors());
}

bool SteadyState::came_back() {
  // Share of the period: where the error of each adds up, it stays below 1e-9 of the whole.
  constexpr double tolerance = 1e-10;
  record_.compare(tolerance * (run_->ledger->now() - kept_at_));
  return describe() && record_.same_to_the_end() && run_->observed.size() == kept_.observed;
}

// False: there is something that this cannot describe, or a comparison has failed.
bool SteadyState::describe() {
  for (const RankThread* thread : threads_) {
    thread->describe(record_, step_);
    if (!record_.same()) return false;
  }
  const Agenda agenda(run_->ledger->agenda());
  record_.take_entries();
  for (const RankThread* thread : threads_) thread->describe(record_, agenda);
  run_->mpi->describe(record_, agenda, messages_);
  run_->machine->describe(record_);
  return record_.take_entries() == agenda.size();
}

SteadyState::Accounts SteadyState::accounts() const {
  Accounts accounts;
  for (const RankThread* thread : threads_) accounts.threads.push_back(thread->account());
  for (int id = 0; id < run_->ledger->resource_count(); ++id)
    accounts.used.push_back(run_->ledger->used(id));
  accounts.traffic = run_->mpi->traffic;
  if (run_->known != nullptr) accounts.sent = run_->machine->sent();
  accounts.observed = run_->observed.size();
  return accounts;
}

// All cursors in the order of the description, so that equal places mean the same.
std::vector<PathCursor*> SteadyState::cursors() {
  std::vector<PathCursor*> all;
  for (RankThread* thread : threads_) thread->list_cursors(all);
  for (const int message : messages_) all.push_back(&run_->mpi->path_cursor(message));
  return all;
}

// As many as leave every rank a whole period before the end: what is then still to come is done
// step by step.
int SteadyState::periods(int steps) const {
  int least = INT_MAX;
  for (const RankThread* thread : threads_)
    if (thread->in_alike_steps()) least = std::min(least, thread->steps_left());
  return least == INT_MAX ? 0 : least / steps - 1;
}

void SteadyState::skip(int steps, int times) {
  const double period = run_->ledger->now() - kept_at_, seconds = times * period;
  const Accounts now = accounts();
  run_->paths->repeat(marks_, cursors(), period, static_cast<std::uint64_t>(times));
  kept_.used.resize(now.used.size());  // blocks are resources from their first message on
  std::vector<double> used;
  for (std::size_t id = 0; id < now.used.size(); ++id)
    used.push_back(times * (now.used[id] - kept_.used[id]));
  run_->ledger->skip(seconds, used);
  const auto more = static_cast<std::uint64_t>(times);
  Traffic& traffic = run_->mpi->traffic;
  traffic.repeat(more, kept_.traffic);
  if (run_->known != nullptr) run_->machine->repeat_sent(more, kept_.sent);
  run_->mpi->skip(seconds, messages_);
  run_->machine->skip(seconds);
  for (std::size_t i = 0; i < threads_.size(); ++i)
    threads_[i]->skip(steps * times, seconds, times, kept_.threads[i]);
  run_->ledger->kernel().skip(seconds);
  skipped_.seconds += seconds;
  skipped_.messages += traffic.messages - now.traffic.messages;
  kept_step_ = 0;
  marks_.clear();
}

}  // namespace ringscope::sim
