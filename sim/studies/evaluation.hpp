// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of one call of an Evaluator.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "scenarios/question/known_parts.hpp"
#include "sim/studies/store.hpp"

namespace ringscope {

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
  /// Waits until nobody is making a scenario: what makes them may go then.
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
  int making_ = 0;
  bool closed_ = false, taken_ = false;
  std::vector<Outcome> outcomes_;
  std::vector<bool> answered_;
  std::map<Key, std::vector<std::size_t>> claimed_;  ///< the first index of a key, and the others
  std::map<std::size_t, std::exception_ptr> failures_;
};

}  // namespace ringscope
