// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/evaluation.hpp"

#include <utility>

namespace ringscope {

Evaluation::Evaluation(std::size_t count, MakeScenario make, NamePoint name, std::string how,
                       Store& store)
    : count_(count),
      make_(std::move(make)),
      name_(std::move(name)),
      how_(std::move(how)),
      store_(&store),
      outcomes_(count),
      answered_(count) {}

std::optional<Evaluation::Task> Evaluation::begin(KnownParts& known) {
  while (true) {
    std::size_t index = 0;
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || !failures_.empty()) return {};
      if (next_ == count_) return {};
      index = next_++;
      ++making_;
    }
    std::optional<Task> task;
    try {
      task = make(index, known);
    } catch (...) {
      fail(index, std::current_exception());
    }
    {
      const std::lock_guard lock(mutex_);
      --making_;
      if (making_ == 0 && (closed_ || done_ == count_)) changed_.notify_all();
    }
    if (task) return task;
  }
}

/// Nothing where the answer is known, or will be that of another index.
std::optional<Evaluation::Task> Evaluation::make(std::size_t index, KnownParts& known) {
  Task task{index, {}, make_(index, known)};
  task.key = scenario_key(task.scenario, how_);
  if (name_) store_->name(name_(index), task.key);
  {
    const std::lock_guard lock(mutex_);
    auto& same = claimed_[task.key];
    same.push_back(index);
    if (same.size() > 1) {
      if (answered_[same.front()]) settle(index, outcomes_[same.front()]);
      return {};
    }
  }
  const std::optional<Outcome> stored = store_->find(task.key);
  if (!stored) return task;
  const std::lock_guard lock(mutex_);
  for (const std::size_t one : claimed_[task.key]) settle(one, *stored);
  return {};
}

/// False where there is an answer already.
bool Evaluation::settle(std::size_t index, const Outcome& outcome) {
  if (answered_[index]) return false;
  answered_[index] = true;
  outcomes_[index] = outcome;
  ++done_;
  return true;
}

void Evaluation::end(const Task& task, Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_[task.index]) return;
    ++simulated_;
    if (!taken_)
      for (const std::size_t one : claimed_[task.key]) settle(one, outcome);
  }
  store_->put(task.key, outcome);
  if (all_done()) changed_.notify_all();
}

void Evaluation::fail(std::size_t index, std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failures_.emplace(index, std::move(failure));
    if (!answered_[index]) {
      answered_[index] = true;
      ++done_;
    }
  }
  changed_.notify_all();
}

bool Evaluation::has_work() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && failures_.empty() && next_ < count_;
}

bool Evaluation::all_done() const {
  const std::lock_guard lock(mutex_);
  return done_ == count_ || !failures_.empty();
}

void Evaluation::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return done_ == count_ || !failures_.empty(); });
}

void Evaluation::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.wait(lock, [this] { return making_ == 0; });
}

std::size_t Evaluation::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

std::uint64_t Evaluation::simulated() const {
  const std::lock_guard lock(mutex_);
  return simulated_;
}

std::vector<std::optional<Outcome>> Evaluation::take_outcomes() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  if (!failures_.empty()) std::rethrow_exception(failures_.begin()->second);
  taken_ = true;
  std::vector<std::optional<Outcome>> outcomes(count_);
  for (std::size_t i = 0; i < count_; ++i)
    if (answered_[i]) outcomes[i] = std::move(outcomes_[i]);
  return outcomes;
}

}  // namespace ringscope
