// Many scenarios to many outcomes: what `place` and `sweep` stand on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "sim/studies/outcome.hpp"

namespace ringscope {

struct EvaluatorOptions {
  std::string kernel = "fluid";
  /// Called now and then, by the thread that called evaluate(), with the outcomes that are there
  /// and those that were asked for.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

class Evaluator {
 public:
  explicit Evaluator(EvaluatorOptions options = {});

  /// The outcomes in the order of the scenarios; a scenario that was evaluated before is not
  /// simulated again, and the same scenario twice is simulated once. What a simulation throws
  /// beside a deadlock is thrown.
  std::vector<Outcome> evaluate(std::span<const Scenario> scenarios);

  std::uint64_t simulated() const { return simulated_; }
  std::uint64_t cached() const { return cached_; }

 private:
  EvaluatorOptions options_;
  std::uint64_t simulated_ = 0, cached_ = 0;
};

}  // namespace ringscope
