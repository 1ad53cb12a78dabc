// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/executor/completions.hpp"

#include <utility>

namespace ringscope::cuda {

Completions::~Completions() {
  forget();
  give(any_);
  for (const std::vector<Event>& events : pool_)
    for (const Event event : events) gpus_.close(event);
}

void Completions::forget() {
  for (const Awaited& awaited : awaited_) give(awaited.reached);
  awaited_.clear();
  calls_ = std::make_shared<Calls>();  // calls still to come keep the old ones
  called_for_ = 0;
}

PooledEvent Completions::take(int gpu) {
  std::vector<Event>& pool = pool_.grown(gpu);
  if (pool.empty()) return {gpus_.make_timeless_event(gpu), gpu};
  const Event event = pool.back();
  pool.pop_back();
  return {event, gpu};
}

void Completions::give(PooledEvent event) {
  if (event.gpu >= 0) pool_[event.gpu].push_back(event.event);
}

void Completions::when_done(Stream stream, int gpu, int rank, std::function<void()> then) {
  last_rank_ = rank;
  if (by_ == ProgressBy::callbacks) {
    if (any_.gpu < 0) any_ = take(gpu);
    gpus_.call(stream, [calls = calls_, due = std::move(then)] {
      const std::lock_guard guard(calls->mutex);
      calls->due.push_back(due);
    });
    ++called_for_;
    return;
  }
  const PooledEvent reached = take(gpu);
  gpus_.record(stream, reached.event);
  awaited_.push_back({reached, rank, std::move(then)});
}

bool Completions::advance() { return by_ == ProgressBy::polling ? poll() : answer_calls(); }

bool Completions::ask(const Awaited& awaited) {
  try {
    return gpus_.reached(awaited.reached.event);
  } catch (const GpuError& error) {
    if (on_failure) on_failure(error, awaited.rank);
    throw;
  }
}

bool Completions::poll() {
  std::vector<std::function<void()>> due;
  for (auto one = awaited_.begin(); one != awaited_.end();) {
    if (!ask(*one)) {
      ++one;
      continue;
    }
    due.push_back(std::move(one->then));
    give(one->reached);
    one = awaited_.erase(one);
  }
  for (const auto& then : due) then();
  return !due.empty();
}

bool Completions::answer_calls() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard guard(calls_->mutex);
    due.swap(calls_->due);
  }
  called_for_ -= due.size();
  for (const auto& then : due) then();
  if (due.empty() && called_for_ > 0) look_for_failures();
  return !due.empty();
}

// After a failure the runtime makes no calls any more: only asking shows it.
void Completions::look_for_failures() {
  constexpr int often = 4096;
  if (++fruitless_ % often != 0) return;
  ask({any_, last_rank_, {}});
}

}  // namespace ringscope::cuda
