// SPDX-License-Identifier: LGPL-2.1-or-later
// Does place answer with what it has when it is stopped, and tell how long one simulation takes?
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope {
namespace {

/// True once it was asked `times` times.
std::function<bool(double)> after(int times) {
  return [left = times](double) mutable { return left-- <= 0; };
}

// A round of the search asks more often than that, and so does the walk over all assignments.
TEST(APlaceThatIsStopped, AnswersWithWhatItHas) {
  const std::pair<const char*, int> cases[] = {{"{budget: 60}", 30},
                                               {"{objective: worst_link}", 200}};
  for (const auto& [flags, times] : cases) {
    const PlaceStudy study = study_of(rack, flags);
    EvaluatorOptions options = on_threads(1);
    options.stop = after(times);
    Evaluator evaluator(options);
    const PlaceAnswer answer = place(study, evaluator);
    EXPECT_TRUE(answer.stopped) << flags;
    ASSERT_GE(answer.placed.size(), 1u) << flags;
    EXPECT_LT(answer.placed.size(), 60u) << flags;
    ASSERT_TRUE(answer.bound_s.has_value()) << flags;
    EXPECT_LE(*answer.bound_s, answer.placed.front().cost_s) << flags;
    EXPECT_FALSE(answer.random.has_value()) << flags;
  }
}

// Where all may be simulated and the time ends first, the likely best were, and the messages of the
// others bound what they take.
TEST(APlaceThatIsStopped, has_looked_at_the_likely_best_of_many) {
  const PlaceStudy study =
      study_of(std::string(rack).replace(rack.find(": ring"), 6, ": recursive_doubling"),
               "{order: any, budget: 20000, random: 0}");
  const PlaceAnswer all = answer_of(study);
  ASSERT_GT(all.placed.size(), 256u);
  double done = 0;
  EvaluatorOptions options = on_threads(1);
  options.progress = [&done](double share) { done = share; };
  options.stop = [&done](double) { return done > 0.1; };
  Evaluator part(options);
  const PlaceAnswer answer = place(study, part);
  EXPECT_TRUE(answer.stopped);
  EXPECT_LT(answer.placed.size(), all.placed.size());
  EXPECT_EQ(answer.placed.front().cost_s, all.placed.front().cost_s);
  ASSERT_TRUE(answer.bound_s.has_value());
  EXPECT_LE(*answer.bound_s, all.placed.front().cost_s);
}

// Two threads share the simulations: one for each cable of the ring.
TEST(PlacePace, is_that_of_one_simulation_and_comes_before_any_other) {
  for (const char* objective : {"time", "worst_link"}) {
    const PlaceStudy study = study_of(rack, fmt::format("{{objective: {}, budget: 1}}", objective));
    Evaluator evaluator(on_threads(2));
    std::vector<double> paces;
    std::uint64_t before = 0;
    const auto begin = std::chrono::steady_clock::now();
    double most = 0;
    place(study, evaluator, [&](double seconds, std::optional<double> search_ends) {
      if (search_ends) return;
      paces.push_back(seconds);
      before = evaluator.simulated();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      most = passed.count() * std::min<double>(2, static_cast<double>(before)) /
             static_cast<double>(before);
    });
    ASSERT_EQ(paces.size(), 1u) << objective;
    EXPECT_GT(paces[0], 0) << objective;
    EXPECT_LE(paces[0], most) << objective;
    EXPECT_EQ(before == 1, std::string_view(objective) == "time");  // before any other placement
  }
}

// Random placements have time behind the search.
TEST(PlacePace, comes_again_with_the_end_of_the_search_when_placements_are_counted) {
  for (const auto& [flags, end] : {std::pair("{random: 5}", 0.7), std::pair("{random: 0}", 0.9)}) {
    const PlaceStudy study = study_of(rack, flags);
    Evaluator evaluator(on_threads(1));
    std::vector<double> ends;
    place(study, evaluator, [&](double, std::optional<double> search_ends) {
      if (search_ends) ends.push_back(*search_ends);
      EXPECT_LT(evaluator.simulated(), 7u);  // yours, and one of each kind at most
    });
    ASSERT_EQ(ends.size(), 1u) << flags;
    EXPECT_DOUBLE_EQ(ends[0], end) << flags;
  }
}

TEST(APlaceThatIsStopped, LeavesTimeForWhatIsDrawn) {
  const PlaceStudy study = study_of(rack, "{budget: 60, random: 5}");
  EvaluatorOptions options = on_threads(1);
  options.stop = [](double share) { return share < 1; };  // the search has a part of the time
  Evaluator evaluator(options);
  const PlaceAnswer answer = place(study, evaluator);
  EXPECT_TRUE(answer.stopped);
  // The user's placement, which is packed, and four more of one kind each.
  EXPECT_EQ(answer.placed.size(), 5u);
  EXPECT_LE(answer.placed.front().cost_s, answer.own.cost_s);
  ASSERT_TRUE(answer.random.has_value());
  EXPECT_EQ(answer.random->count, 5u);
}

// More of 3^8 placements differ than this clock lets the walk see: the search has its part of the
// time all the same.
TEST(APlaceThatIsStopped, LeavesTimeForASearchWhereTheyAreTooManyToCount) {
  const PlaceStudy study = study_of(rack, "{order: any, budget: 1000000, random: 0}");
  EvaluatorOptions options = on_threads(1);
  options.stop = [asked = 0](double share) mutable { return ++asked > 400 * share; };
  Evaluator evaluator(options);
  const PlaceAnswer answer = place(study, evaluator);
  EXPECT_TRUE(answer.stopped);
  EXPECT_TRUE(answer.uncounted);
  EXPECT_GT(answer.placed.size(), 1u);
  EXPECT_LT(answer.least, Count(study.budget));  // that many differ is not known
}

TEST(APlaceThatIsStopped, BeforeOneWasSimulatedHasNoAnswer) {
  EvaluatorOptions options = on_threads(1);
  options.stop = after(0);
  Evaluator evaluator(options);
  EXPECT_THROW(place(study_of(rack), evaluator), std::runtime_error);
}

}  // namespace
}  // namespace ringscope
