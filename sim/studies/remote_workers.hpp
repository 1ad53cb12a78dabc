// Workers in other processes, of this host or of others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "sim/studies/outcome.hpp"

namespace ringscope {

/// End of a task. Without an outcome it is lost: the worker died, or could not say.
struct RemoteAnswer {
  std::uint64_t task = 0;
  std::optional<Outcome> outcome;
};

/// Workers that an Evaluator hands tasks to beside its own threads. Called by one thread. Workers
/// may come, go and hang at any time: a task that nobody ever answers is the Evaluator's to do.
class RemoteWorkers {
 public:
  virtual ~RemoteWorkers() = default;

  virtual bool has_room() const = 0;  ///< some worker can take a task
  /// Hands the task to a worker that has room and does not have it yet; false where there is none.
  /// It is simulated step by step unless `skip`.
  virtual bool hand_out(std::uint64_t task, const Scenario& scenario, bool skip) = 0;
  /// Events since the last call; waits for one at most `patience`.
  virtual std::vector<RemoteAnswer> answers(std::chrono::milliseconds patience) = 0;
  virtual int workers() const = 0;  ///< present now
  virtual int threads() const = 0;  ///< of them all
  /// Workers refused for a version mismatch, in words; "": there are none.
  virtual std::string strangers() const { return ""; }
};

}  // namespace ringscope
