// SPDX-License-Identifier: LGPL-2.1-or-later
// Does place find which groups of a job should cross hosts, by the time of its step?
#include <algorithm>
#include <set>

#include "scenarios/study/place_study.hpp"
#include "sim/studies/search/place_study_for_test.hpp"
#include "sim/tests/llm_for_test.hpp"

namespace ringscope {
namespace {

// A layer's gradients are 98 KiB, an activation 4 KiB; ranks of a host talk at 12 times the rate.
std::string two_hosts(const std::string& groups, const std::string& more = "") {
  return R"(
scenario:
  question: which?
  cluster: )" +
         llm_for_test::two_hosts + "\n  library: " + llm_for_test::handshakes + R"(
  placement: 2-2
  job:
    program: llm
    groups: )" +
         groups + R"(
    options:
      model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
      gpu: {flops: 1e15, memory_bandwidth: unlimited}
)" + more;
}

// Each layer sums its activation four times over two ranks, which sends each of them once: 16
// sums of 4 KiB. A rank sends a stage's activation once and its gradient once; where stages are on
// hosts of their own, two ranks do so by one link. So tensor groups across hosts take the links'
// ratio longer, but for the pipeline, which then is inside.
TEST(PlaceOnGroups, PutsTensorGroupsInsideHostsByTheFactorOfTheLinks) {
  const PlaceAnswer answer = answer_of(study_of(two_hosts("{tp: 2, pp: 2}")));
  const double activation = 32 * 64 * 2, slow = 1e3, fast = 12e3;
  const double sums = 4 * 4 * activation, border = 2 * activation;
  ASSERT_EQ(answer.placed.size(), 2u);
  EXPECT_EQ(answer.placed[0].groups, "tp-dp-pp");
  EXPECT_EQ(answer.placed[1].groups, "pp-dp-tp");
  const double inside = answer.placed[0].cost_s, across = answer.placed[1].cost_s;
  EXPECT_NEAR(inside, sums / fast + 2 * border / slow, 1e-6 * inside);
  EXPECT_NEAR(across, sums / slow + border / fast, 1e-6 * across);
  EXPECT_FALSE(answer.searched);
  EXPECT_EQ(answer.raw, Count(4));  // two orders of the hosts under each of the groups'
  EXPECT_EQ(answer.placed[0].alike, Count(2));
  ASSERT_TRUE(answer.same.has_value());
  EXPECT_EQ(*answer.same, 0u);
}

// Each of two orders has 0.45 of the time, and 0.3 of that to count placements. Where the first has
// not counted them by then, the second will not.
TEST(PlaceOnGroups, SaysHowMuchTimeTheSearchHasWithoutTheCountingOfOtherOrders) {
  EvaluatorOptions options = on_threads(1);
  options.stop = [](double share) { return share < 0.2; };
  Evaluator evaluator(options);
  std::vector<double> ends;
  place(study_of(two_hosts("{tp: 2, pp: 2}"), "{random: 0}"), evaluator,
        [&ends](double, std::optional<double> search_ends) {
          if (search_ends) ends.push_back(*search_ends);
        });
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_DOUBLE_EQ(ends[0], 0.9 - 0.3 * 0.45);
}

// On one host of four alike cores every order is the same job on the same machine.
TEST(PlaceOnGroups, SimulatesOrdersOnceThatAMachineCannotTellApart) {
  PlaceStudy study = study_of(R"(
scenario:
  question: which?
  cluster:
    network: star
    hosts: 1
    link: {bandwidth: 1 GB/s, latency: 0 s}
    host: {type: simple, cores: 4}
  library: ideal
  placement: 4
  job:
    program: llm
    groups: {tp: 2, pp: 2, order: pp-tp-dp}
    options:
      model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
      gpu: {flops: 1e12, memory_bandwidth: unlimited}
)");
  const PlaceAnswer answer = answer_of(study);
  EXPECT_EQ(study.orders.size(), 2u);
  ASSERT_EQ(answer.placed.size(), 1u);
  EXPECT_EQ(answer.placed[0].groups, "pp-tp-dp");  // the user's own
  EXPECT_EQ(answer.least, Count(1));
}

// The scenario with that order and that placement takes that time.
TEST(PlaceOnGroups, SaysTheTimeOfTheScenarioThatItNames) {
  const PlaceStudy study = study_of(two_hosts("{tp: 2}"));
  for (const Placed& placed : answer_of(study).placed) {
    const PlaceStudy own =
        study_of(two_hosts("{tp: 2, order: " + placed.groups + "}"), "{groups: own}");
    Scenario scenario = own.scenario;
    scenario.placement = placed.placement;
    EXPECT_EQ(simulated_outcome(scenario).time_s, placed.cost_s) << placed.groups;
  }
}

// Any rank anywhere holds every order, and so is no worse than the best of them.
TEST(PlaceOnGroups, FindsNothingWorseWhereRanksMayBeAnywhere) {
  const double best = answer_of(study_of(two_hosts("{tp: 2}"))).placed.front().cost_s;
  const PlaceAnswer any = answer_of(study_of(two_hosts("{tp: 2}"), "{order: any, random: 0}"));
  EXPECT_LE(any.placed.front().cost_s, best * (1 + 1e-9));
}

TEST(PackedPlacements, FillTheFirstSlotsOfHostsInAnyOrder) {
  const PlaceStudy study = study_of(rack, "{order: packed, slots: 4}");
  const PlaceAnswer answer = answer_of(study);
  Count folded = 0;
  std::set<std::string> counts;
  for (const Placed& placed : answer.placed) {
    folded += placed.alike;
    counts.insert(placed.per_host);
  }
  // 8 ranks on 3 hosts, at most 4 on each, in order: 4-4 in 6 ways; 4-3-1, 6 of counts by 6 of
  // hosts; 4-2-2 and 3-3-2, 3 by 6.
  EXPECT_EQ(folded, Count(6 + 36 + 18 + 18));
  EXPECT_EQ(answer.raw, folded);
  EXPECT_EQ(counts, (std::set<std::string>{"4-4", "4-3-1", "4-2-2", "3-3-2"}));
}

TEST(NestingsOfAGrid, AreTheOrdersOfTheKindsThatHaveSeveralRanks) {
  const Grid grid({{"tp", 2}, {"cp", 1}, {"dp", 3}, {"pp", 2}});
  std::set<std::string> orders;
  for (const Grid& one : nestings(grid)) orders.insert(order_of(one));
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_TRUE(orders.contains("pp-cp-tp-dp"));
  EXPECT_EQ(order_of(nestings(grid).front()), "tp-cp-dp-pp");
}

// Rank 1 of tp-pp is the second of its tensor group; of pp-tp that is rank 2.
TEST(NestingsOfAGrid, NumberTheSameJobAnew) {
  const Grid inner({{"tp", 2}, {"pp", 2}}), outer({{"pp", 2}, {"tp", 2}});
  EXPECT_EQ(renumbered({10, 11, 12, 13}, inner, outer), (Assignment{10, 12, 11, 13}));
}

std::string complaint_about(const std::string& yaml, const std::string& said) {
  return complaint_of([&] { study_of(yaml, said); });
}

TEST(OrdersOfGroups, AreRefusedWithTheReason) {
  const std::string lists = two_hosts("{tp: [[0, 1], [2, 3]], dp: [[0, 2], [1, 3]]}");
  const std::pair<std::string, std::string> wrong[] = {
      {complaint_about(rack, "{groups: all}"),
       "the allreduce ring has no groups: a program has, such as llm"},
      {complaint_about(lists, "{groups: all}"), "groups by lists have no order"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: most}"),
       "expected all, own, or a list of orders such as [tp-dp-pp, tp-pp-dp], got 'most'"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: []}"), "expected at least one order"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: [tp-dp]}"), "which lacks pp"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: [tp-xp-dp]}"), "xp"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: [tp-dp-pp, tp-dp-pp]}"),
       "duplicate order tp-dp-pp"},
      {complaint_about(two_hosts("{tp: 2}"), "{groups: all, order: any}"),
       "order 'any' puts every rank everywhere, and so in every order of the groups"}};
  for (const auto& [got, expected] : wrong) EXPECT_NE(got.find(expected), std::string::npos) << got;
}

}  // namespace
}  // namespace ringscope
