// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every scenario get its outcome, simulated once, by however many threads?
#include "sim/studies/evaluator.hpp"

#include <gtest/gtest.h>

#include "sim/simulation.hpp"
#include "sim/studies/study_for_test.hpp"

namespace ringscope {
namespace {

EvaluatorOptions threads(int count) {
  EvaluatorOptions options;
  options.threads = count;
  return options;
}

std::vector<Outcome> one_by_one(std::span<const Scenario> scenarios) {
  std::vector<Outcome> outcomes;
  for (const Scenario& scenario : scenarios) outcomes.push_back(simulated_outcome(scenario));
  return outcomes;
}

TEST(Evaluator, says_what_the_simulator_says) {
  const Scenario scenario = small_scenario(64);
  RunOptions fluid;
  fluid.kernel = "fluid";
  const Report report = simulate(scenario, fluid);
  const Outcome outcome = Evaluator().evaluate({&scenario, 1}).at(0);
  EXPECT_EQ(outcome.time_s, report.time_s);
  EXPECT_EQ(outcome.metrics.at("busbw"), report.busbw);
  double path = 0;
  for (const auto& [name, value] : outcome.metrics)
    if (name.starts_with("critical_path.")) path += value;
  EXPECT_NEAR(path, report.time_s, 1e-9 * report.time_s);
  EXPECT_NE(outcome.limit, "");
}

TEST(Evaluator, says_the_same_whatever_the_number_of_threads) {
  const std::vector<Scenario> scenarios = small_scenarios(40);
  const std::vector<Outcome> expected = one_by_one(scenarios);
  for (const int count : {1, 2, 7}) {
    Evaluator evaluator(threads(count));
    EXPECT_EQ(evaluator.threads(), count);
    EXPECT_EQ(evaluator.evaluate(scenarios), expected);
  }
}

TEST(Evaluator, simulates_one_scenario_once) {
  std::vector<Scenario> scenarios = small_scenarios(10);
  for (Scenario& again : small_scenarios(10)) scenarios.push_back(std::move(again));
  Evaluator evaluator(threads(2));
  const std::vector<Outcome> first = evaluator.evaluate(scenarios);
  EXPECT_EQ(evaluator.simulated(), 10U);
  EXPECT_EQ(evaluator.cached(), 10U);
  EXPECT_EQ(evaluator.evaluate(scenarios), first);
  EXPECT_EQ(evaluator.simulated(), 10U);
  EXPECT_EQ(evaluator.cached(), 30U);
}

TEST(Evaluator, finds_what_another_one_has_stored) {
  const TemporaryFile file;
  const std::vector<Scenario> scenarios = small_scenarios(10);
  EvaluatorOptions options = threads(2);
  options.store = file.path();
  std::vector<Outcome> first;
  {
    Evaluator evaluator(options);
    first = evaluator.evaluate(std::span(scenarios).first(7));
  }
  Evaluator evaluator(options);
  const std::vector<Outcome> second = evaluator.evaluate(scenarios);
  EXPECT_EQ(evaluator.simulated(), 3U);
  EXPECT_EQ(evaluator.cached(), 7U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
}

// The store may be gone then. A thread that gave its outcome to one that was gone waited for ever.
TEST(Evaluation, gives_nothing_to_the_store_once_it_is_closed) {
  const TemporaryFile file;
  Store store(file.path());
  const auto make = [](std::size_t index, KnownParts&) {
    return small_scenario(static_cast<int>(index) + 1);
  };
  Evaluation evaluation(2, make, {}, how_simulated({}), store);
  KnownParts known;
  const auto in_time = evaluation.begin(known);
  const auto late = evaluation.begin(known);
  evaluation.end(*in_time, simulated_outcome(in_time->scenario));
  evaluation.close();
  evaluation.end(*late, simulated_outcome(late->scenario));
  EXPECT_NE(store.find(in_time->key), std::nullopt);
  EXPECT_EQ(store.find(late->key), std::nullopt);
  EXPECT_EQ(evaluation.simulated(), 1U);
}

TEST(Evaluator, takes_a_deadlock_for_an_outcome) {
  Scenario scenario = small_scenario(1024);
  scenario.job.algorithm = find_algorithm("exchange", "head_to_head");
  scenario.resolved.set("job.algorithm", Value::from_text("test", "head_to_head"));
  const Outcome outcome = Evaluator(threads(1)).evaluate({&scenario, 1}).at(0);
  EXPECT_TRUE(outcome.error.starts_with("deadlock at ")) << outcome.error;
  EXPECT_EQ(outcome.time_s, 0);
}

TEST(Evaluator, throws_what_the_first_bad_scenario_throws) {
  for (int tries = 0; tries < 5; ++tries) {
    Evaluator evaluator(threads(4));
    const auto make = [](std::size_t index, KnownParts&) {
      if (index >= 5) throw std::runtime_error("bad " + std::to_string(index));
      return small_scenario(static_cast<int>(index) + 1);
    };
    try {
      evaluator.evaluate(100, make);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "bad 5");
    }
  }
}

TEST(Evaluator, gives_up_what_it_simulates_when_it_is_stopped) {
  Scenario endless = small_scenario(64);
  endless.job.repetitions = 1'000'000'000;
  endless.job.skew = Seconds(1e-6);  // no repetition is like another
  EvaluatorOptions options = threads(1);
  int asked = 0;
  options.stop = [&asked](double) { return ++asked > 3; };
  Evaluator evaluator(options);
  const auto make = [&endless](std::size_t, KnownParts&) { return endless; };
  EXPECT_EQ(evaluator.evaluate_some(1, make).at(0), std::nullopt);
  EXPECT_EQ(evaluator.simulated(), 0U);
  const std::vector<Scenario> others = small_scenarios(3);  // by the same thread
  EXPECT_EQ(evaluator.evaluate(others), one_by_one(others));
}

}  // namespace
}  // namespace ringscope
