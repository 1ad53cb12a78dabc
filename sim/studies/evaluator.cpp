// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/evaluator.hpp"

#include <fmt/format.h>

#include "sim/simulation.hpp"

namespace ringscope {
namespace {

constexpr auto nap = std::chrono::milliseconds(50);

/// Ends a simulation whose outcome nobody waits for.
struct GivenUp {};

}  // namespace

std::optional<Outcome> simulated_outcome(const Scenario& scenario, RunOptions options,
                                         const std::function<bool()>& is_given_up) {
  if (is_given_up)
    options.every_so_often = [&is_given_up] {
      if (is_given_up()) throw GivenUp();
    };
  try {
    return outcome_of(simulate(scenario, options));
  } catch (const GivenUp&) {
    return {};
  } catch (const DeadlockError& deadlock) {
    Outcome outcome;
    outcome.error = deadlock.what();
    return outcome;
  }
}

Outcome simulated_outcome(const Scenario& scenario, const RunOptions& options) {
  return *simulated_outcome(scenario, options, nullptr);
}

std::string how_simulated(const RunOptions& options) {
  // Whoever asks for every step, or rank, wants to see what skipping does: an answer from before is
  // none. And the last digits may differ, where the store promises the same contents.
  return std::string(options.kernel) + (options.skip ? "" : ", every step") +
         (options.fold_channels ? "" : ", every rank") +
         (options.tolerance > 0 ? fmt::format(", tolerance {}", options.tolerance) : "");
}

Evaluator::Evaluator(EvaluatorOptions options)
    : options_(std::move(options)), store_(options_.store) {
  if (options_.prune) store_.prune();
  int threads = options_.threads;
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

Evaluator::~Evaluator() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

std::vector<Outcome> Evaluator::evaluate(std::span<const Scenario> scenarios) {
  return evaluate(scenarios.size(),
                  [scenarios](std::size_t index, KnownParts&) { return scenarios[index]; });
}

std::vector<Outcome> Evaluator::evaluate(std::size_t count, const MakeScenario& make) {
  std::vector<Outcome> outcomes;
  for (std::optional<Outcome>& outcome : answers(count, make, {}, false, store_))
    outcomes.push_back(std::move(*outcome));
  return outcomes;
}

std::vector<std::optional<Outcome>> Evaluator::evaluate_some(std::size_t count,
                                                             const MakeScenario& make,
                                                             const NamePoint& name) {
  return answers(count, make, name, true, store_);
}

std::vector<std::optional<Outcome>> Evaluator::evaluate_beside(std::size_t count,
                                                               const MakeScenario& make) {
  Store beside(options_.store, "beside");
  if (options_.prune) beside.prune();
  auto outcomes = answers(count, make, {}, true, beside);
  beside.flush();
  return outcomes;
}

std::vector<std::optional<Outcome>> Evaluator::answers(std::size_t count, const MakeScenario& make,
                                                       const NamePoint& name, bool some,
                                                       Store& store) {
  const auto evaluation = std::make_shared<Evaluation>(count, make, name, how(), store);
  // Asked before work is handed out: what is stopped already ends with nothing, however quick a
  // thread is.
  const bool begins = !(some && stopped());
  if (begins) {
    const std::lock_guard lock(mutex_);
    current_ = evaluation;
  }
  changed_.notify_all();
  while (begins && !evaluation->all_done() && !(some && stopped())) {
    evaluation->wait(nap);
    tell(evaluation->done(), count);
  }
  evaluation->close();
  {
    const std::lock_guard lock(mutex_);
    current_.reset();
  }
  const std::size_t done = evaluation->done();
  tell(done, count);
  std::vector<std::optional<Outcome>> outcomes = evaluation->take_outcomes();
  if (&store != &store_) return outcomes;
  simulated_ += evaluation->simulated();
  cached_ += done - std::min<std::uint64_t>(done, evaluation->simulated());
  return outcomes;
}

/// A thread's whole life.
void Evaluator::work(const std::stop_token& stop) {
  KnownParts known;
  while (!stop.stop_requested()) {
    std::shared_ptr<Evaluation> evaluation;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [this] { return current_ && current_->has_work(); };
      if (!changed_.wait(lock, stop, has_work)) return;
      evaluation = current_;
    }
    while (!stop.stop_requested()) {
      const auto task = evaluation->begin(known);
      if (!task) break;
      try {
        auto outcome = simulated_outcome(task->scenario, options_.run, [&] {
          return evaluation->is_given_up() || stop.stop_requested();
        });
        if (outcome) evaluation->end(*task, std::move(*outcome));
      } catch (...) {
        evaluation->fail(task->index, std::current_exception());
      }
    }
  }
}

void Evaluator::tell(std::size_t done, std::size_t count) const {
  const double share =
      static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, count));
  if (options_.progress) options_.progress(begin_ + (end_ - begin_) * share);
}

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
      ++busy_;
    }
    std::optional<Task> task;
    try {
      task = make(index, known);
    } catch (...) {
      fail(index, std::current_exception());
    }
    let_go();
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
    if (closed_ || answered_[task.index]) return;
    ++busy_;
    ++simulated_;
    for (const std::size_t one : claimed_[task.key]) settle(one, outcome);
  }
  // Before close() returns: the store may be gone then.
  try {
    store_->put(task.key, outcome);
  } catch (...) {
    fail(task.index, std::current_exception());
  }
  let_go();
}

void Evaluation::let_go() {
  const std::lock_guard lock(mutex_);
  --busy_;
  if (busy_ == 0 && (closed_ || done_ == count_)) changed_.notify_all();
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
  changed_.wait(lock, [this] { return busy_ == 0; });
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
  std::vector<std::optional<Outcome>> outcomes(count_);
  for (std::size_t i = 0; i < count_; ++i)
    if (answered_[i]) outcomes[i] = std::move(outcomes_[i]);
  return outcomes;
}

}  // namespace ringscope
