// SPDX-License-Identifier: LGPL-2.1-or-later
// Many scenarios to many outcomes: what `place` and `sweep` stand on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "sim/run_options.hpp"
#include "sim/studies/evaluation.hpp"

namespace ringscope {

struct EvaluatorOptions {
  RunOptions run;      ///< of a kernel that can exist many times in a process
  int threads = 0;     ///< 0: one for each core that this process may use
  std::string store;   ///< the file that keeps the results; "": memory
  bool prune = false;  ///< drop from it what other versions wrote
  /// Called now and then, by the thread that called evaluate(), with the share of the whole that is
  /// done: see part().
  std::function<void(double share)> progress;
  /// Asked likewise: whether it shall end, having had this share of its time. Then nothing more is
  /// begun, and what is being simulated is given up. Null: never.
  std::function<bool(double share)> stop;
};

/// The outcome of one simulation. What a run throws beside a deadlock is thrown. `is_given_up` is
/// asked now and then, if not null: where it says so there is no outcome.
std::optional<Outcome> simulated_outcome(const Scenario& scenario, RunOptions options,
                                         const std::function<bool()>& is_given_up);
Outcome simulated_outcome(const Scenario& scenario, const RunOptions& options = {});

/// By which kernel, and with which results in the last digits: a part of every key.
std::string how_simulated(const RunOptions& options);

/// Owns threads and the store. Outcomes do not depend on the number of either.
class Evaluator {
 public:
  explicit Evaluator(EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator& operator=(Evaluator&&) = delete;  ///< neither copied nor moved

  /// The outcomes in the order of the scenarios; a scenario that was evaluated before is not
  /// simulated again, and the same scenario twice is simulated once. A deadlock is an outcome; what
  /// else a simulation throws is thrown.
  std::vector<Outcome> evaluate(std::span<const Scenario> scenarios);
  /// The same; the scenarios are made when it is their turn, by the thread that simulates them.
  std::vector<Outcome> evaluate(std::size_t count, const MakeScenario& make);
  /// The same; scenarios not simulated when it was stopped are missing. `name`: of each, in the
  /// store of a shard.
  std::vector<std::optional<Outcome>> evaluate_some(std::size_t count, const MakeScenario& make,
                                                    const NamePoint& name = {});
  /// The same of what is no point of a study: in a table of its own in the store, and not counted.
  std::vector<std::optional<Outcome>> evaluate_beside(std::size_t count, const MakeScenario& make);
  /// Part of the whole that comes next, for progress.
  void part(double begin, double end) { begin_ = begin, end_ = end; }
  /// Deadline of what comes next: when this share of the time is over.
  void until(double share) { until_ = share; }
  bool stopped() const { return options_.stop && options_.stop(until_); }
  /// Writes to the store what is not there yet; throws what it throws.
  void flush() { store_.flush(); }
  Store& store() { return store_; }
  std::string how() const { return how_simulated(options_.run); }

  std::uint64_t simulated() const { return simulated_; }
  std::uint64_t cached() const { return cached_; }  ///< answered without a simulation
  int threads() const { return static_cast<int>(threads_.size()); }
  const RunOptions& run() const { return options_.run; }

 private:
  void work(const std::stop_token& stop);
  void tell(std::size_t done, std::size_t count) const;
  std::vector<std::optional<Outcome>> answers(std::size_t count, const MakeScenario& make,
                                              const NamePoint& name, bool some, Store& store);

  EvaluatorOptions options_;
  Store store_;
  double begin_ = 0, end_ = 1, until_ = 1;
  std::uint64_t simulated_ = 0, cached_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Evaluation> current_;
  std::vector<std::jthread> threads_;  ///< last: they use all the others
};

}  // namespace ringscope
