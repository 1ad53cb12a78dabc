#include "sim/studies/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "sim/simulation.hpp"

namespace ringscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto nap = std::chrono::milliseconds(50);
constexpr auto remote_nap = std::chrono::milliseconds(2);
/// Time that a worker may have the last tasks before others get them too.
constexpr auto slow = std::chrono::milliseconds(500);

}  // namespace

Outcome simulated_outcome(const Scenario& scenario, const std::string& kernel, bool skip) {
  RunOptions run;
  run.kernel = kernel;
  run.skip = skip;
  try {
    return outcome_of(simulate(scenario, run));
  } catch (const DeadlockError& deadlock) {
    Outcome outcome;
    outcome.error = deadlock.what();
    return outcome;
  }
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
  for (std::optional<Outcome>& outcome : answers(count, make, false))
    outcomes.push_back(std::move(*outcome));
  return outcomes;
}

std::vector<std::optional<Outcome>> Evaluator::evaluate_some(std::size_t count,
                                                             const MakeScenario& make) {
  return answers(count, make, true);
}

std::vector<std::optional<Outcome>> Evaluator::answers(std::size_t count, const MakeScenario& make,
                                                       bool some) {
  // Whoever asks for every step wants to see what skipping does: an answer from before is none. And
  // the last digits may differ, where the store promises the same contents.
  const std::string how = options_.kernel + (options_.skip ? "" : ", every step");
  const auto evaluation = std::make_shared<Evaluation>(count, make, how, store_);
  {
    const std::lock_guard lock(mutex_);
    current_ = evaluation;
  }
  changed_.notify_all();
  attend(*evaluation, some);
  evaluation->close();
  {
    const std::lock_guard lock(mutex_);
    current_.reset();
  }
  handed_out_.clear();  // answers that still come are nobody's
  const std::size_t done = evaluation->done();
  tell(done, count);
  std::vector<std::optional<Outcome>> outcomes = evaluation->take_outcomes();
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
        evaluation->end(*task, simulated_outcome(task->scenario, options_.kernel, options_.skip));
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

/// Attends until all is done, or it is stopped: workers elsewhere get tasks, and whoever waits sees
/// the progress.
void Evaluator::attend(Evaluation& evaluation, bool some) {
  while (!evaluation.all_done() && !(some && stopped())) {
    if (options_.remote && options_.remote->workers() > 0) {
      hand_out(evaluation);
      if (!evaluation.has_work()) hand_out_again(evaluation);
      take_answers(evaluation);
    } else {
      if (options_.remote) take_answers(evaluation);
      evaluation.wait(options_.remote ? remote_nap : nap);
    }
    tell(evaluation.done(), evaluation.count());
  }
}

void Evaluator::hand_out(Evaluation& evaluation) {
  while (options_.remote->has_room()) {
    auto task = evaluation.begin(known_, Evaluation::Where::elsewhere);
    if (!task) return;
    const std::uint64_t id = next_task_++;
    if (!options_.remote->hand_out(id, task->scenario, options_.skip)) {
      evaluation.begin_again(std::move(*task));
      wake();
      return;
    }
    handed_out_.emplace(id, HandedOut{std::move(*task), Clock::now()});
  }
}

/// Nothing is left to begin: what a slow or dead worker has is done by another one too, and, where
/// that one is no better, here.
void Evaluator::hand_out_again(Evaluation& evaluation) {
  const auto now = Clock::now();
  for (auto& [id, handed] : handed_out_) {
    if (handed.again == 2 || now - handed.since < slow || !evaluation.is_needed(handed.task.index))
      continue;
    handed.since = now;
    if (++handed.again == 1 && options_.remote->hand_out(id, handed.task.scenario, options_.skip))
      continue;
    handed.again = 2;
    evaluation.begin_here(handed.task);
    wake();
  }
}

void Evaluator::take_answers(Evaluation& evaluation) {
  for (RemoteAnswer& answer : options_.remote->answers(remote_nap)) {
    const auto handed = handed_out_.find(answer.task);
    if (handed == handed_out_.end()) continue;
    if (answer.outcome) {
      evaluation.end(handed->second.task, std::move(*answer.outcome));
    } else {
      ++handed->second.task.lost;
      evaluation.begin_again(std::move(handed->second.task));
      wake();
    }
    handed_out_.erase(handed);
  }
}

void Evaluator::wake() {
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

}  // namespace ringscope
