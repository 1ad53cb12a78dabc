#include "sim/studies/evaluator.hpp"

#include "sim/simulation.hpp"

namespace ringscope {
namespace {

Outcome simulated_outcome(const Scenario& scenario, const EvaluatorOptions& options) {
  RunOptions run;
  run.kernel = options.kernel;
  try {
    return outcome_of(simulate(scenario, run));
  } catch (const DeadlockError& deadlock) {
    Outcome outcome;
    outcome.error = deadlock.what();
    return outcome;
  }
}

}  // namespace

Evaluator::Evaluator(EvaluatorOptions options) : options_(std::move(options)) {}

std::vector<Outcome> Evaluator::evaluate(std::span<const Scenario> scenarios) {
  std::vector<Outcome> outcomes;
  for (const Scenario& scenario : scenarios) {
    outcomes.push_back(simulated_outcome(scenario, options_));
    ++simulated_;
    if (options_.progress) options_.progress(outcomes.size(), scenarios.size());
  }
  return outcomes;
}

}  // namespace ringscope
