// SPDX-License-Identifier: LGPL-2.1-or-later
// Many scenarios to many outcomes: what `place` and `sweep` stand on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/question/scenario_tree.hpp"
#include "sim/run_options.hpp"
#include "sim/studies/store.hpp"

namespace ringscope {

// The state of one call of an Evaluator.

/// Makes the scenario of an index; called by several threads at once, each with parts of its own.
using MakeScenario = std::function<Scenario(std::size_t index, KnownParts& known)>;

/// Name of an index in the store of a shard.
using NamePoint = std::function<std::string(std::size_t index)>;

/// Scenarios to be simulated, being simulated, and done. Thread-safe. Scenarios of one key are
/// simulated once, those in the store not at all.
class Evaluation {
 public:
  struct Task {
    std::size_t index = 0;
    Key key{};
    Scenario scenario;
  };

  /// `how` they are simulated, as how_simulated() says it. `name`: null where the store has no
  /// part.
  Evaluation(std::size_t count, MakeScenario make, NamePoint name, std::string how, Store& store);

  /// The next task to simulate; none where all were begun or something has failed.
  std::optional<Task> begin(KnownParts& known);
  void end(const Task& task, Outcome outcome);
  void fail(std::size_t index, std::exception_ptr failure);

  bool has_work() const;
  bool all_done() const;
  /// Waits until all is done, or at most `patience`.
  void wait(std::chrono::milliseconds patience);
  /// Waits until nobody is making a scenario or giving an outcome to the store: what makes them,
  /// and the store, may go then.
  void close();

  std::size_t count() const { return count_; }
  std::size_t done() const;
  std::uint64_t simulated() const;
  /// Nobody waits any more for what is being simulated.
  bool is_given_up() const { return given_up_; }
  /// Outcomes that are there, once: what is still being simulated is given up. Throws
  /// the failure of the lowest index.
  std::vector<std::optional<Outcome>> take_outcomes();

 private:
  std::optional<Task> make(std::size_t index, KnownParts& known);
  bool settle(std::size_t index, const Outcome& outcome);
  void let_go();

  const std::size_t count_;
  const MakeScenario make_;
  const NamePoint name_;
  const std::string how_;
  Store* store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0;
  std::uint64_t simulated_ = 0;
  std::atomic<bool> given_up_ = false;
  int busy_ = 0;  ///< making a scenario, or giving an outcome to the store
  bool closed_ = false;
  std::vector<Outcome> outcomes_;
  std::vector<bool> answered_;
  std::map<Key, std::vector<std::size_t>> claimed_;  ///< the first index of a key, and the others
  std::map<std::size_t, std::exception_ptr> failures_;
};

struct EvaluatorOptions {
  RunOptions run;      ///< of a kernel that can exist many times in a process
  int threads = 0;     ///< 0: one for each core that this process may use
  std::string store;   ///< the file that keeps the results; "": memory
  bool prune = false;  ///< drop from it what other versions wrote
  /// Called now and then, by the thread that called evaluate(), with the share of the whole that is
  /// done: see part().
  std::function<void(double share)> progress;
  /// Asked now and then: whether it shall end, having had this share of its time. Then nothing more
  /// is begun, and what is being simulated is given up. Null: never.
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
