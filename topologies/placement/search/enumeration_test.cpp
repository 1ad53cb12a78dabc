// SPDX-License-Identifier: LGPL-2.1-or-later
// Is every placement there exactly once, up to symmetry? Against all assignments, each with its
// likes.
#include "topologies/placement/search/enumeration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "topologies/cluster.hpp"

namespace ringscope::enumeration_test {
namespace {

struct Question {
  std::string name, cluster;
  PlacementRules rules;
};

const std::string cable = "link: {bandwidth: 1 GB/s, latency: 1 us}\n";
const std::string eight_cores = "host: {type: simple, cores: 8}";
const std::string rack = "network: star\nhosts: 3\n" + cable + eight_cores;
const std::string small_rack =
    "network: star\nhosts: 3\n" + cable + "host: {type: simple, cores: 2}";
const std::string racks = "network: two_level\nracks: 2\nhosts_per_rack: 2\n" + cable +
                          "uplink: {bandwidth: 1 GB/s}\nhost: {type: simple, cores: 2}";
const std::string sockets = "network: star\nhosts: 2\n" + cable +
                            "host: {type: numa, sockets: 3, cores: 2, "
                            "socket_link: {bandwidth: 1 GB/s}}";
const std::string uneven_racks = racks + "\nuplinks: 2";

std::vector<Assignment> all_assignments(int ranks, int bins) {
  std::vector<Assignment> assignments = {{}};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Assignment> longer;
    for (const Assignment& assignment : assignments) {
      for (int bin = 0; bin < bins; ++bin) {
        longer.push_back(assignment);
        longer.back().push_back(bin);
      }
    }
    assignments = std::move(longer);
  }
  return assignments;
}

SymmetryRules marked(const std::vector<int>& marks) {
  SymmetryRules rules;
  rules.marks = marks;
  return rules;
}

class Enumeration : public testing::TestWithParam<Question> {
 protected:
  Topology topology_ = read_cluster(Value::from_text("test", GetParam().cluster)).topology;
  Symmetry symmetry_{topology_, marked(GetParam().rules.slots)};
  Placements placements_{symmetry_, GetParam().rules};
};

TEST_P(Enumeration, HasEachPlacementOnce) {
  std::set<Assignment> differ;
  Count raw = 0;
  for (const Assignment& assignment :
       all_assignments(GetParam().rules.ranks, static_cast<int>(symmetry_.bins().size()))) {
    if (!placements_.allows(assignment)) continue;
    const Assignment first = placements_.first_alike(assignment);
    EXPECT_TRUE(placements_.allows(first)) << testing::PrintToString(assignment);
    EXPECT_EQ(placements_.first_alike(first), first) << testing::PrintToString(assignment);
    differ.insert(first);
    Count cores = 1;  // of the bins
    std::map<int, int> taken;
    for (const int bin : assignment)
      cores *= symmetry_.bins()[static_cast<std::size_t>(bin)].capacity - taken[bin]++;
    raw += cores;
  }
  EXPECT_EQ(placements_.raw(), raw);
  const auto all = placements_.all(100'000);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(std::set<Assignment>(all->begin(), all->end()), differ);
  EXPECT_EQ(all->size(), differ.size());
  EXPECT_TRUE(std::ranges::is_sorted(*all));
}

TEST_P(Enumeration, FoldsAsManyAsThereAre) {
  Count folded = 0;
  const auto all = placements_.all(100'000);
  ASSERT_TRUE(all.has_value());
  for (const Assignment& assignment : *all) folded += placements_.alike(assignment);
  EXPECT_EQ(folded, placements_.raw());
}

TEST_P(Enumeration, FindsOneToBeginWith) {
  ASSERT_TRUE(placements_.some().has_value());
  EXPECT_TRUE(placements_.allows(*placements_.some()));
}

TEST_P(Enumeration, StopsBeyondTheLimit) {
  const std::size_t count = placements_.all(100'000)->size();
  EXPECT_LE(placements_.least_number(), count);
  EXPECT_TRUE(placements_.all(count).has_value());
  EXPECT_FALSE(placements_.all(count - 1).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Questions, Enumeration,
    testing::Values(
        Question{"Circle", rack, {.ranks = 6, .slots = {8, 8, 8}, .rotations = true}},
        Question{"Any", rack, {.ranks = 6, .slots = {8, 8, 8}}},
        Question{"Fixed", rack, {.ranks = 8, .slots = {8, 8, 8}, .order = RankOrder::fixed}},
        Question{"FixedCircle",
                 rack,
                 {.ranks = 8, .slots = {8, 8, 8}, .order = RankOrder::fixed, .rotations = true}},
        Question{"Taken", rack, {.ranks = 5, .slots = {8, 0, 8}, .rotations = true}},
        Question{"Slots", rack, {.ranks = 5, .slots = {2, 2, 3}, .rotations = true}},
        Question{"WholeHosts", small_rack, {.ranks = 4, .slots = {2, 2, 2}, .whole_hosts = true}},
        Question{"WholeUnevenHosts", rack, {.ranks = 5, .slots = {2, 3, 5}, .whole_hosts = true}},
        Question{"FixedWholeHosts",
                 sockets,
                 {.ranks = 6, .slots = {6, 6}, .whole_hosts = true, .order = RankOrder::fixed}},
        Question{"FixedWholeHostsWithFewSlots",
                 sockets,
                 {.ranks = 3, .slots = {3, 3}, .whole_hosts = true, .order = RankOrder::fixed}},
        Question{"Racks", racks, {.ranks = 5, .slots = {2, 2, 2, 2}, .rotations = true}},
        Question{
            "FixedRacks", racks, {.ranks = 6, .slots = {2, 2, 2, 2}, .order = RankOrder::fixed}},
        Question{"Sockets", sockets, {.ranks = 4, .slots = {6, 6}, .rotations = true}},
        Question{"FixedSockets", sockets, {.ranks = 6, .slots = {6, 6}, .order = RankOrder::fixed}},
        Question{"SocketsWithFewSlots", sockets, {.ranks = 4, .slots = {3, 3}}},
        Question{"HashedRoutes", uneven_racks, {.ranks = 4, .slots = {2, 2, 2, 2}}}),
    [](const auto& question) { return question.param.name; });

TEST(EnumerationOfTheRack, IsHostAfterHostTheNumberOfPartitions) {
  const Topology topology = read_cluster(Value::from_text("test", rack)).topology;
  const Symmetry symmetry(topology, {});
  const PlacementRules rules = {.ranks = 8, .slots = {8, 8, 8}, .order = RankOrder::fixed};
  // Partitions of 8 into 1, 2 and 3 parts in any order: C(7, 0), C(7, 1), C(7, 2).
  EXPECT_EQ(Placements(symmetry, rules).all(100)->size(), 1u + 7u + 21u);
}

// 8 ranks on three hosts, in a circle: necklaces of 8 beads in up to three colours, the colours
// interchangeable. Burnside: (1/(8*6)) * sum over rotations and permutations of the hosts of the
// assignments that stay.
TEST(EnumerationOfTheRack, IsTheNumberOfNecklacesInInterchangeableColours) {
  const Topology topology = read_cluster(Value::from_text("test", rack)).topology;
  const Symmetry symmetry(topology, {});
  const Placements placements(symmetry, {.ranks = 8, .slots = {8, 8, 8}, .rotations = true});
  // A permutation with f fixed colours, t in cycles of 2, and c in cycles of 3 keeps, under a
  // rotation whose cycles have length n, (f + (n even) t + (n mod 3 = 0) c)^(8/n) assignments.
  int kept = 0;
  const int cycle_length[] = {1, 8, 4, 8, 2, 8, 4, 8};
  struct Kind {
    int permutations, fixed, in_pairs, in_threes;
  };
  for (const int n : cycle_length) {
    for (const Kind& kind : {Kind{1, 3, 0, 0}, Kind{3, 1, 2, 0}, Kind{2, 0, 0, 3}}) {
      const int colours =
          kind.fixed + (n % 2 == 0 ? kind.in_pairs : 0) + (n % 3 == 0 ? kind.in_threes : 0);
      int assignments = kind.permutations;
      for (int i = 0; i < 8 / n; ++i) assignments *= colours;
      kept += assignments;
    }
  }
  const auto all = placements.all(1000);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(static_cast<int>(all->size()), kept / (8 * 6));
  EXPECT_EQ(placements.raw(), Count(24) * 23 * 22 * 21 * 20 * 19 * 18 * 17);
}

// Three of four ranks are apart, also from a rank on host 1 that stays there.
TEST(EnumerationOfRanksApart, has_each_placement_once) {
  const Topology topology = read_cluster(Value::from_text("test", racks)).topology;
  for (const bool stays : {false, true}) {
    SymmetryRules marks;
    if (stays) marks.taken.push_back({.host = 1});
    const Symmetry symmetry(topology, marks);
    PlacementRules rules = {.ranks = 4, .slots = {2, stays ? 1 : 2, 2, 2}, .apart = {0, 2, 3}};
    if (stays) rules.closed = {1};
    const Placements placements(symmetry, rules);
    std::set<Assignment> differ;
    Count raw = 0, folded = 0;
    for (const Assignment& assignment : all_assignments(4, 4)) {
      const std::set<int> apart = {assignment[0], assignment[2], assignment[3]};
      const bool fits = apart.size() == 3 && !(stays && apart.contains(1));
      EXPECT_EQ(placements.allows(assignment), fits) << testing::PrintToString(assignment);
      if (!fits) continue;
      differ.insert(placements.first_alike(assignment));
      Count cores = 1;
      for (int bin = 0; bin < 4; ++bin)
        for (int i = 0; i < std::ranges::count(assignment, bin); ++i)
          cores *= symmetry.bins()[bin].capacity - i;
      raw += cores;
    }
    const auto all = placements.all(1000);
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(std::set<Assignment>(all->begin(), all->end()), differ);
    EXPECT_EQ(all->size(), differ.size());
    EXPECT_LT(all->size(), raw);
    for (const Assignment& assignment : *all) folded += placements.alike(assignment);
    EXPECT_EQ(folded, raw);
  }
}

// 1,024 ranks on 2,048 cores: 2048! / 1024!.
TEST(EnumerationOfALargeMachine, CountsWhatCannotBeEnumerated) {
  const Topology topology =
      read_cluster(Value::from_text("test", "network: star\nhosts: 256\n" + cable + eight_cores))
          .topology;
  const Symmetry symmetry(topology, {});
  const std::vector<int> slots(256, 8);
  const Placements placements(symmetry, {.ranks = 1024, .slots = slots, .rotations = true});
  Count expected = 1;
  for (int core = 1025; core <= 2048; ++core) expected *= core;
  EXPECT_EQ(placements.raw(), expected);
  EXPECT_FALSE(placements.all(100).has_value());
}

// Eight whole hosts of 64, alike: one placement, and a walk that ends. `stopped` is asked every 256
// steps, so that a user's time limit holds wherever a walk is.
TEST(EnumerationOfALargeMachine, WalksIntoNoDeadEndOfWholeHosts) {
  const Topology topology =
      read_cluster(Value::from_text("test", "network: star\nhosts: 64\n" + cable + eight_cores))
          .topology;
  const Symmetry symmetry(topology, {});
  for (const RankOrder order : {RankOrder::fixed, RankOrder::packed}) {
    const Placements placements(
        symmetry,
        {.ranks = 64, .slots = std::vector<int>(64, 8), .whole_hosts = true, .order = order});
    std::size_t looks = 0;
    const auto all = placements.all(1000, [&looks] { return ++looks > 2; });
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(all->size(), 1u);
  }
}

TEST(EnumerationOfALargeMachine, StopsWhenItIsTold) {
  const Topology topology =
      read_cluster(Value::from_text("test", "network: star\nhosts: 64\n" + cable + eight_cores))
          .topology;
  const Symmetry symmetry(topology, {});
  const Placements placements(
      symmetry, {.ranks = 96, .slots = std::vector<int>(64, 8), .order = RankOrder::packed});
  std::size_t looks = 0;
  EXPECT_FALSE(placements.all(1'000'000, [&looks] { return ++looks == 3; }).has_value());
  EXPECT_EQ(looks, 3u);
}

// A step of a search may put more ranks on a host than it has cores.
TEST(EnumerationWithoutRoom, AllowsNoPackedPlacementBeyondTheCores) {
  const Topology topology = read_cluster(Value::from_text("test", small_rack)).topology;
  const Symmetry symmetry(topology, {});
  const Placements placements(symmetry,
                              {.ranks = 4, .slots = {2, 2, 2}, .order = RankOrder::packed});
  EXPECT_FALSE(placements.allows(placements.grouped({0, 1, 0, 0})));
  EXPECT_FALSE(placements.allows({0, 0, 0, 1}));
  EXPECT_TRUE(placements.allows(placements.grouped({0, 1, 0, 1})));
}

TEST(EnumerationWithoutRoom, FindsNone) {
  const Topology topology = read_cluster(Value::from_text("test", rack)).topology;
  const Symmetry symmetry(topology, {});
  for (const PlacementRules& rules :
       {PlacementRules{.ranks = 7, .slots = {2, 2, 2}},
        PlacementRules{.ranks = 5, .slots = {2, 4, 4}, .whole_hosts = true},
        PlacementRules{.ranks = 12, .slots = {8, 8, 8}, .apart = {8, 9, 10, 11}}}) {
    const Placements placements(symmetry, rules);
    EXPECT_EQ(placements.raw(), 0);
    EXPECT_FALSE(placements.some().has_value());
    EXPECT_TRUE(placements.all(10)->empty());
  }
}

}  // namespace
}  // namespace ringscope::enumeration_test
