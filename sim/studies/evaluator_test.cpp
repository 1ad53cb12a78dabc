// Does every scenario get its outcome, simulated once, whoever simulates it and whoever dies?
#include "sim/studies/evaluator.hpp"

#include <gtest/gtest.h>

#include <deque>

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
  for (const Scenario& scenario : scenarios)
    outcomes.push_back(simulated_outcome(scenario, "fluid", true));
  return outcomes;
}

/// Simulates when it is asked for answers; what it does with the n-th task is the test's.
class FakeCrew final : public RemoteWorkers {
 public:
  enum class Fate { answers, dies, hangs };
  explicit FakeCrew(std::function<Fate(int)> fate) : fate_(std::move(fate)) {}

  bool has_room() const override { return tasks_.size() < 4; }
  bool hand_out(std::uint64_t task, const Scenario& scenario, bool) override {
    if (!has_room()) return false;
    ++handed_out;
    tasks_.emplace_back(task, scenario);
    return true;
  }
  std::vector<RemoteAnswer> answers(std::chrono::milliseconds) override {
    std::vector<RemoteAnswer> answers;
    for (; !tasks_.empty(); tasks_.pop_front()) {
      const auto& [task, scenario] = tasks_.front();
      const Fate fate = fate_(count_++);
      if (fate == Fate::hangs) continue;
      answers.push_back({task, {}});
      if (fate == Fate::answers)
        answers.back().outcome = simulated_outcome(scenario, "fluid", true);
    }
    return answers;
  }
  int workers() const override { return 1; }
  int threads() const override { return 1; }

  int handed_out = 0;

 private:
  std::function<Fate(int)> fate_;
  int count_ = 0;
  std::deque<std::pair<std::uint64_t, Scenario>> tasks_;
};

void expect_all_right_with(std::function<FakeCrew::Fate(int)> fate) {
  const std::vector<Scenario> scenarios = small_scenarios(60);
  const auto crew = std::make_shared<FakeCrew>(std::move(fate));
  EvaluatorOptions options = threads(1);
  options.remote = crew;
  Evaluator evaluator(options);
  EXPECT_EQ(evaluator.evaluate(scenarios), one_by_one(scenarios));
  EXPECT_EQ(evaluator.simulated(), scenarios.size());
  EXPECT_GT(crew->handed_out, 0);
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

TEST(Evaluator, takes_the_answers_of_workers_elsewhere) {
  expect_all_right_with([](int) { return FakeCrew::Fate::answers; });
}

TEST(Evaluator, does_itself_what_dying_workers_lose) {
  expect_all_right_with([](int) { return FakeCrew::Fate::dies; });
  expect_all_right_with(
      [](int n) { return n % 3 == 0 ? FakeCrew::Fate::dies : FakeCrew::Fate::answers; });
}

TEST(Evaluator, does_itself_what_hanging_workers_keep) {
  expect_all_right_with([](int) { return FakeCrew::Fate::hangs; });
  expect_all_right_with(
      [](int n) { return n % 3 == 0 ? FakeCrew::Fate::hangs : FakeCrew::Fate::answers; });
}

}  // namespace
}  // namespace ringscope
