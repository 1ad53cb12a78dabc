// SPDX-License-Identifier: LGPL-2.1-or-later
// Does place find what is best beside jobs that already run? On racks and stars of a few hosts.
#include <algorithm>
#include <map>
#include <set>

#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope {
namespace {

// Three racks of two hosts. A background job sends from the first rack to the second, all the time.
const std::string racks =
    "scenario:\n"
    "  question: which?\n"
    "  cluster:\n"
    "    network: two_level\n"
    "    racks: 3\n"
    "    hosts_per_rack: 2\n"
    "    link: {bandwidth: 1 GB/s, latency: 0 s}\n"
    "    uplink: {bandwidth: 1 GB/s, latency: 0 s}\n"
    "    host: {type: simple, cores: 1}\n"
    "  library: ideal\n"
    "  placement: 0-1-0-1\n"
    "  job: {collective: broadcast, algorithm: flat, bytes: 64 MiB}\n"
    "  neighbours:\n"
    "    bulk:\n"
    "      placement: 1-0-1\n"
    "      job: {collective: broadcast, algorithm: flat, bytes: 64 MiB}\n";

// Two hosts are left, one in each rack: rank 0 sends to rank 1. Where both messages leave the first
// rack, or both enter the second, each gets half of that uplink.
TEST(PlaceBesideANeighbour, FindsThePlacementsThatAvoidTheSharedUplink) {
  const double alone = 64.0 * 1024 * 1024 / 1e9;
  const PlaceAnswer answer = answer_of(study_of(racks, "{taken: [host5]}"));
  ASSERT_EQ(answer.placed.size(), 6u);
  std::set<std::string> best;
  for (const Placed& placed : answer.placed) {
    const bool shares = placed.cost_s > 1.5 * alone;
    EXPECT_NEAR(placed.cost_s, (shares ? 2 : 1) * alone, 1e-9 * alone);
    if (!shares) best.insert(placed.placement.text);
  }
  EXPECT_EQ(best, (std::set<std::string>{"3 1", "3 4", "4 1"}));
  EXPECT_NEAR(answer.own.cost_s, 2 * alone, 1e-9 * alone);
}

// The job has half of the background job's bytes, which runs once.
TEST(PlaceBesideANeighbour, CanRankByTheSlowestJobOrTheMean) {
  const double alone = 64.0 * 1024 * 1024 / 1e9;
  const std::string half = "{taken: [host5], jobs: ";
  PlaceStudy study = study_of(racks, half + "mean}");
  study.scenario.job.bytes = {32 << 20};
  study.scenario.neighbours[0].rounds = 1;
  const PlaceAnswer mean = answer_of(study);
  // Apart: 1/2 and 1. Together: each at half the rate until the job ends, at 1; then the other has
  // half of its message left, which ends at 3/2.
  EXPECT_NEAR(mean.placed.front().cost_s, 0.75 * alone, 1e-9 * alone);
  EXPECT_NEAR(mean.placed.back().cost_s, 1.25 * alone, 1e-9 * alone);
  study.jobs = WhoseTime::slowest;
  const PlaceAnswer slowest = answer_of(study);
  EXPECT_NEAR(slowest.placed.front().cost_s, alone, 1e-9 * alone);
  EXPECT_NEAR(slowest.placed.back().cost_s, 1.5 * alone, 1e-9 * alone);
}

const std::string shared_star =
    "scenario:\n"
    "  question: which?\n"
    "  cluster: {network: star, hosts: 4, link: {bandwidth: 1 GB/s, latency: 1 us},\n"
    "            host: {type: simple, cores: 2, memory_bandwidth: 10 GB/s}}\n"
    "  library: slow_tcp\n"
    "  placement: 1-1-1\n"
    "  job: {collective: allreduce, algorithm: ring, bytes: 48 KiB}\n"
    "  neighbours:\n"
    "    one: {placement: 1-1, repeat: 1, job: {collective: broadcast, algorithm: flat,\n"
    "          bytes: 64 KiB}}\n";

// By brute force: of all assignments with one rank on each of the hosts of the background job and
// two on each of the others, those that the exchange of hosts 2 and 3 and the turns of the ring
// take to each other. All of these take the same time.
TEST(PlacementsBesideANeighbour, AreFoldedOnlyWhereTheNeighbourIsNot) {
  const PlaceStudy study = study_of(shared_star);
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  const Placements placements(symmetry, study.rules);
  std::map<Assignment, std::vector<Assignment>> alike;
  const std::vector<int> room = {1, 1, 2, 2};
  for (int code = 0; code < 64; ++code) {
    const Assignment assignment = {code % 4, code / 4 % 4, code / 16};
    bool fits = true;
    for (int host = 0; host < 4; ++host)
      fits = fits && std::ranges::count(assignment, host) <= room[static_cast<std::size_t>(host)];
    if (!fits) continue;
    Assignment first = assignment;
    for (Assignment turned = assignment; const bool swap : {false, true}) {
      for (std::size_t turn = 0; turn < assignment.size(); ++turn) {
        std::rotate(turned.begin(), turned.begin() + 1, turned.end());
        first = std::min(first, turned);
      }
      if (!swap)
        for (int& host : turned) host = host < 2 ? host : 5 - host;
    }
    alike[first].push_back(assignment);
    EXPECT_EQ(placements.first_alike(assignment), first);
  }
  const auto assignments = placements.all(1000);
  ASSERT_TRUE(assignments.has_value());
  ASSERT_EQ(assignments->size(), alike.size());
  std::vector<Scenario> scenarios;
  for (const auto& [first, all] : alike) {
    for (const Assignment& assignment : all) {
      scenarios.push_back(study.scenario);
      scenarios.back().placement = placement_of(study, symmetry.bins(), assignment);
    }
  }
  Evaluator evaluator(on_threads(2));
  const std::vector<Outcome> outcomes = evaluator.evaluate(scenarios);
  std::size_t next = 0;
  for (const auto& [first, all] : alike) {
    const double time = outcomes[next].time_s;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(outcomes[next++].time_s, time, 1e-9 * time);
  }
}

TEST(PlaceBesideANeighbour, CountsItsRanksAmongTheSlots) {
  EXPECT_EQ(study_of(shared_star).rules.slots, (std::vector<int>{1, 1, 2, 2}));
  EXPECT_EQ(study_of(shared_star, "{slots: 1}").rules.slots, (std::vector<int>{0, 0, 1, 1}));
}

TEST(PlaceBesideANeighbour, RefusesTheTimeOfSeveralJobsWhereThereIsOne) {
  EXPECT_NE(complaint_of([] {
              study_of(rack, "{jobs: slowest}");
            }).find("'slowest' is of several jobs, and the scenario has no neighbours"),
            std::string::npos);
}

}  // namespace
}  // namespace ringscope
