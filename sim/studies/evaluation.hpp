// The state of one call of an Evaluator.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
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

/// Scenarios to be simulated, being simulated, and done. Thread-safe. A task that was begun may be
/// begun again, by somebody else: the first answer counts. Scenarios of one key are simulated once,
/// those in the store not at all.
class Evaluation {
 public:
  struct Task {
    std::size_t index = 0;
    Key key{};
    Scenario scenario;
    int lost = 0;  ///< times that a worker elsewhere died with it
  };
  enum class Where { here, elsewhere };

  /// `how` they are simulated: by which kernel, and with which results in the last digits.
  Evaluation(std::size_t count, MakeScenario make, std::string how, Store& store);

  /// The next task to simulate; none where all were begun or something has failed. What was lost
  /// elsewhere again and again is simulated here.
  std::optional<Task> begin(KnownParts& known, Where where = Where::here);
  void begin_again(Task task);  ///< somebody else shall; also what nobody needs any more
  void begin_here(Task task);   ///< likewise, but a thread of this process
  void end(const Task& task, Outcome outcome);
  void fail(std::size_t index, std::exception_ptr failure);

  bool has_work() const;
  bool is_needed(std::size_t index) const;  ///< has no answer yet
  bool all_done() const;
  /// Waits until all is done, or at most `patience`.
  void wait(std::chrono::milliseconds patience);
  /// Waits until nobody is making a scenario: what makes them may go then.
  void close();

  std::size_t count() const { return count_; }
  std::size_t done() const;
  std::uint64_t simulated() const;
  /// Outcomes that are there, once: what is still being simulated goes to the store alone. Throws
  /// the failure of the lowest index.
  std::vector<std::optional<Outcome>> take_outcomes();

 private:
  std::optional<Task> make(std::size_t index, KnownParts& known);
  std::optional<Task> take_again(Where where);
  bool settle(std::size_t index, const Outcome& outcome);

  const std::size_t count_;
  const MakeScenario make_;
  const std::string how_;
  Store* store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0;
  std::uint64_t simulated_ = 0;
  int making_ = 0;
  bool closed_ = false, taken_ = false;
  std::deque<Task> again_;
  std::vector<Outcome> outcomes_;
  std::vector<bool> answered_;
  std::map<Key, std::vector<std::size_t>> claimed_;  ///< the first index of a key, and the others
  std::map<std::size_t, std::exception_ptr> failures_;
};

}  // namespace ringscope
