// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

}  // namespace ringscope
