// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the search find what is best, within its budget and in the same way every time?
#include "sim/studies/search/evaluations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

/// Six hosts of four cores under one switch.
class Search : public testing::Test {
 protected:
  Topology topology_ = read_cluster(Value::from_text("test",
                                                     "network: star\nhosts: 6\n"
                                                     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
                                                     "host: {type: simple, cores: 4}"))
                           .topology;
  Symmetry symmetry_{topology_, SymmetryRules{}};

  Placements placements(RankOrder order, bool whole_hosts = false) const {
    return {symmetry_,
            {.ranks = 12,
             .slots = std::vector<int>(6, 4),
             .whole_hosts = whole_hosts,
             .order = order,
             .rotations = true}};
  }
  std::vector<Assignment> search(const Placements& among, std::uint64_t seed, std::size_t budget) {
    return anneal(among, {budget, seed, {*among.some()}},
                  [&](std::span<const Assignment> assignments) {
                    std::vector<double> all;
                    for (const Assignment& assignment : assignments)
                      all.push_back(cost(assignment));
                    ++calls_;
                    return all;
                  });
  }

  /// Distance of a placement from 0-1-2, four times over: one assignment has no cost but 1.
  static double cost(const Assignment& assignment) {
    double sum = 1;
    for (std::size_t rank = 0; rank < assignment.size(); ++rank)
      sum += assignment[rank] == static_cast<int>(rank % 3) ? 0 : 1;
    return sum;
  }
  static double best_of(const std::vector<Assignment>& assignments) {
    double best = cost(assignments.front());
    for (const Assignment& assignment : assignments) best = std::min(best, cost(assignment));
    return best;
  }
  int calls_ = 0;
};

TEST_F(Search, FindsTheBestOfMillions) {
  const Placements all = placements(RankOrder::any);
  EXPECT_GT(all.least_number(), 5000);
  EXPECT_EQ(best_of(search(all, 1, 2000)), 1);
}

TEST_F(Search, AsksForEachPlacementOnceAndKeepsToItsBudget) {
  const Placements all = placements(RankOrder::any);
  const std::vector<Assignment> assignments = search(all, 1, 500);
  EXPECT_EQ(assignments.size(), 500u);
  EXPECT_EQ(std::set<Assignment>(assignments.begin(), assignments.end()).size(),
            assignments.size());
  for (const Assignment& assignment : assignments) {
    EXPECT_TRUE(all.allows(assignment));
    EXPECT_EQ(all.first_alike(assignment), assignment);
  }
}

TEST_F(Search, TakesTheSameWayForTheSameSeed) {
  const Placements all = placements(RankOrder::any);
  EXPECT_EQ(search(all, 7, 300), search(all, 7, 300));
  EXPECT_NE(search(all, 7, 300), search(all, 8, 300));
}

TEST_F(Search, AsksForManyAtOnceSoThatProcessorsHaveWork) {
  EXPECT_EQ(search(placements(RankOrder::any), 1, 800).size(), 800u);
  EXPECT_LT(calls_, 200);
}

TEST_F(Search, KeepsWholeHostsWholeAndRanksInTheirOrder) {
  for (const Placements& some : {placements(RankOrder::any, true), placements(RankOrder::fixed),
                                 placements(RankOrder::fixed, true)}) {
    const std::vector<Assignment> assignments = search(some, 1, 200);
    EXPECT_FALSE(assignments.empty());
    for (const Assignment& assignment : assignments)
      EXPECT_TRUE(some.allows(assignment)) << testing::PrintToString(assignment);
  }
}

TEST_F(Search, EndsWhereThereIsNothingMoreToFind) {
  const Placements few = placements(RankOrder::fixed, true);
  const auto all = few.all(1000);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(search(few, 1, 1000).size(), all->size());
}

}  // namespace
}  // namespace ringscope
