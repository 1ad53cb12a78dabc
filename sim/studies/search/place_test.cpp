// SPDX-License-Identifier: LGPL-2.1-or-later
// Does place find what is best, and say why? On the rack of lesson 3 and on small machines.
#include <algorithm>
#include <set>
#include <utility>

#include "sim/studies/search/place_points.hpp"
#include "sim/studies/search/place_study_for_test.hpp"
#include "sim/studies/search/plain_assignments.hpp"

namespace ringscope {
namespace {

const std::string sockets =
    "scenario:\n"
    "  question: which?\n"
    "  cluster:\n"
    "    network: two_level\n"
    "    racks: 2\n"
    "    hosts_per_rack: 2\n"
    "    link: {bandwidth: 1 GB/s, latency: 1 us}\n"
    "    uplink: {bandwidth: 0.5 GB/s}\n"
    "    host: {type: numa, cores: 2, sockets: 2, memory_bandwidth: 4 GB/s,\n"
    "           socket_link: {bandwidth: 2 GB/s, latency: 100 ns}}\n"
    "  library: openmpi_tcp\n"
    "  placement: 2-2\n"
    "  job: {collective: allreduce, algorithm: ring, bytes: 64 KiB}\n";

// The design's law: a rank that sends to one host and receives from another pays for both. In the
// order of the hosts that is the lone rank of 4-3-1; of 28 ways to give three hosts ranks (or two,
// or one), those without a lone one between two others are faster.
TEST(PlaceOnTheRack, FindsThat422BeatsTheLoneRankOf431AndSaysWhy) {
  PlaceStudy study = study_of(rack, "{order: fixed, slots: 4}");
  const PlaceAnswer answer = answer_of(study);
  EXPECT_FALSE(answer.searched);
  const auto time_of = [&](const std::string& counts) {
    const auto found = std::ranges::find(answer.placed, counts, &Placed::per_host);
    return found == answer.placed.end() ? 0 : found->cost_s;
  };
  EXPECT_GT(time_of("4-3-1"), 1.7 * time_of("4-2-2"));
  EXPECT_NEAR(time_of("3-3-2"), time_of("4-2-2"), 0.05 * time_of("4-2-2"));
  ASSERT_TRUE(answer.same.has_value());
  EXPECT_NEAR(answer.own.cost_s, answer.placed[*answer.same].cost_s, 1e-9 * answer.own.cost_s);
  EXPECT_NE(answer.own.outcome.limit.find("CPU copy on host2/numa0/core0 (rank 7)"),
            std::string::npos)
      << answer.own.outcome.limit;
}

TEST(PlaceOnTheRack, TriesEveryOrderOfTheRingOnce) {
  const PlaceAnswer answer = answer_of(study_of(rack));
  EXPECT_EQ(answer.least, Count(answer.placed.size()));
  Count folded = 0;
  for (const Placed& placed : answer.placed) folded += placed.alike;
  EXPECT_EQ(folded, answer.raw);
  EXPECT_TRUE(std::ranges::is_sorted(
      answer.placed, {}, [](const Placed& one) { return static_cast<float>(one.cost_s); }));
}

// Placements called alike take the same time: each is simulated where it stands for others, and
// once more as one of these, chosen far away in their order.
TEST(PlacementsThatAreAlike, TakeTheSameTime) {
  const PlaceStudy study = study_of(sockets);
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  const Placements placements(symmetry, study.rules);
  const auto assignments = placements.all(1000);
  ASSERT_TRUE(assignments.has_value());
  std::vector<Scenario> scenarios;
  const int bins = static_cast<int>(symmetry.bins().size());
  for (const Assignment& assignment : *assignments) {
    Assignment other = assignment;  // racks and hosts in the opposite order, the circle turned
    for (int& bin : other) {
      const int host = symmetry.bins()[static_cast<std::size_t>(bin)].host;
      bin = bin % 2 + 2 * (bins / 2 - 1 - host);
    }
    std::rotate(other.begin(), other.begin() + 1, other.end());
    ASSERT_EQ(placements.first_alike(other), assignment);
    for (const Assignment& one : {assignment, other}) {
      scenarios.push_back(study.scenario);
      scenarios.back().placement = placement_of(study, symmetry.bins(), one);
    }
  }
  Evaluator evaluator(on_threads(2));
  const std::vector<Outcome> outcomes = evaluator.evaluate(scenarios);
  for (std::size_t i = 0; i < outcomes.size(); i += 2)
    EXPECT_NEAR(outcomes[i].time_s, outcomes[i + 1].time_s, 1e-9 * outcomes[i].time_s)
        << scenarios[i].placement.text;
}

// Every algorithm that is said to go round does: its ranks on uneven hosts, turned by one.
TEST(RingsThatGoRound, TakeTheSameTimeWhereverTheyBegin) {
  for (const Algorithm& algorithm : catalogue()) {
    PlaceStudy study = study_of(rack);
    study.scenario.job.algorithm = &algorithm;
    if (!goes_round(study.scenario)) continue;
    const std::vector<Bin> bins = bins_of(study.scenario.cluster.topology, SlotKind::core);
    std::vector<Scenario> scenarios;
    for (const Assignment& assignment :
         {Assignment{0, 0, 1, 0, 2, 1, 1, 0}, Assignment{0, 1, 0, 2, 1, 1, 0, 0}}) {
      scenarios.push_back(study.scenario);
      scenarios.back().placement = placement_of(study, bins, assignment);
    }
    std::vector<double> times;
    for (const Scenario& scenario : scenarios) times.push_back(simulated_outcome(scenario).time_s);
    EXPECT_NEAR(times[0], times[1], 1e-9 * times[0]) << algorithm.collective << algorithm.name;
  }
}

TEST(PlaceBeyondItsBudget, SearchesAndFindsTheSameForAnyNumberOfThreads) {
  const PlaceStudy study = study_of(rack, "{budget: 60, seed: 3}");
  std::vector<std::string> found;
  for (const int threads : {1, 3}) {
    Evaluator evaluator(on_threads(threads));
    const PlaceAnswer answer = place(study, evaluator);
    EXPECT_TRUE(answer.searched);
    EXPECT_LE(answer.placed.size(), 60u);
    std::string all;
    for (const Placed& placed : answer.placed) all += placed.placement.text + ";";
    found.push_back(all);
    EXPECT_TRUE(answer.same.has_value());
  }
  EXPECT_EQ(found[0], found[1]);
}

// Slots of eight ranks on three hosts of eight cores, four slots each; 2 hosts of the 3 are full in
// whole ones.
TEST(RandomPlacements, KeepToTheRulesAndDependOnTheSeedAlone) {
  for (const char* flags : {"{slots: 4}", "{slots: 4, whole_hosts: true}", "{order: fixed}"}) {
    const PlaceStudy study = study_of(rack, flags);
    const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
    const Placements placements(symmetry, study.rules);
    const std::vector<Assignment> assignments = random_assignments(placements, 50, 7);
    EXPECT_EQ(assignments.size(), 50u);
    for (const Assignment& assignment : assignments)
      EXPECT_TRUE(placements.allows(assignment)) << flags;
    EXPECT_GT(std::set(assignments.begin(), assignments.end()).size(), 5u) << flags;
    EXPECT_EQ(random_assignments(placements, 50, 7), assignments);
    EXPECT_NE(random_assignments(placements, 50, 8), assignments);
  }
}

TEST(TheBoundOfRings, IsBelowEveryPlacementAndNearTheBest) {
  const PlaceStudy study = study_of(rack, "{slots: 4}");
  const auto bound =
      bound_of_rings(study, bins_of(study.scenario.cluster.topology, study.slot_kind));
  ASSERT_TRUE(bound.has_value());
  const PlaceAnswer answer = answer_of(study);
  EXPECT_LE(*bound, answer.placed.front().cost_s);
  EXPECT_GT(*bound, 0.8 * answer.placed.front().cost_s);
}

// Ranks compute for 10 ms, and for three times as long on host 0.
TEST(Place, avoids_a_slow_host) {
  const PlaceStudy study = study_of(
      "scenario:\n"
      "  question: which?\n"
      "  cluster: {base: star8, hosts: 3}\n"
      "  library: rdma\n"
      "  placement: 1-1\n"
      "  job: {collective: allreduce, algorithm: ring, bytes: 1 KiB, overlap: 10 ms,\n"
      "        noise: {stragglers: {hosts: [host0], slowdown: 3}}}\n",
      "{slots: 1}");
  const PlaceAnswer answer = answer_of(study);
  ASSERT_GT(answer.placed.size(), 1u);
  for (const Location& rank : answer.placed.front().placement.ranks) EXPECT_NE(rank.host, 0);
  EXPECT_NEAR(answer.placed.front().cost_s, 0.010, 0.001);
  EXPECT_NEAR(answer.placed.back().cost_s, 0.030, 0.001);
  EXPECT_NEAR(answer.own.cost_s, 0.030, 0.001);
}

// One pair, 1 GB/s: with half of it the message takes twice as long, whichever cable it is.
TEST(TheWorstLink, CostsWhatItsShareSays) {
  const std::string pair =
      "scenario:\n"
      "  question: which?\n"
      "  cluster:\n"
      "    network: star\n"
      "    hosts: 3\n"
      "    link: {bandwidth: 1 GB/s, latency: 0 s}\n"
      "    host: {type: simple, cores: 1}\n"
      "  library: ideal\n"
      "  placement: 1-1\n"
      "  job: {collective: allgather, algorithm: ring, bytes: 100 MB}\n";
  const PlaceAnswer whole = answer_of(study_of(pair));
  const PlaceAnswer half = answer_of(study_of(pair, "{objective: worst_link, degrade: 0.25}"));
  ASSERT_EQ(whole.placed.size(), 1u);
  EXPECT_NEAR(whole.own.cost_s, 0.05, 1e-6);
  EXPECT_NEAR(half.own.cost_s, 4 * whole.own.cost_s, 1e-6);
  EXPECT_NE(half.own.degraded.find("nic0"), std::string::npos);
}

// With a cable at half of its bandwidth as the cluster says, the worst is to lose from that one.
// And of two ways of which one is dead, the worst leaves the other one alone, as wide as it is.
TEST(TheWorstLink, KeepsWhatTheClusterItselfHasDegraded) {
  const auto worst = [](const std::string& share, const std::string& host) {
    const PlaceStudy study = study_of(
        "scenario:\n"
        "  question: which?\n"
        "  cluster:\n"
        "    network: star\n"
        "    hosts: 2\n"
        "    link: {bandwidth: 1 GB/s, latency: 0 s}\n"
        "    host: {" +
            host +
            "}\n"
            "    degraded: [{link: host0/nic0->switch, share: " +
            share +
            "}]\n"
            "  library: ideal\n"
            "  placement: 1-1\n"
            "  job: {collective: allgather, algorithm: ring, bytes: 100 MB}\n",
        "{objective: worst_link, degrade: 0.25}");
    return answer_of(study).own.cost_s;
  };
  EXPECT_NEAR(worst("0.5", "type: simple, cores: 1"), 0.05 / (0.5 * 0.25), 1e-6);
  EXPECT_NEAR(worst("0", "type: numa, nics: [{}, {}]"), 0.05 / 0.25, 1e-6);
}

TEST(TheRulesOfPlace, LeaveOutHostsThatAreTakenAndCountSlots) {
  const PlaceStudy study = study_of(rack, "{taken: [host1], slots: 5}");
  EXPECT_EQ(study.rules.slots, (std::vector{5, 0, 5}));
  const PlaceAnswer answer = answer_of(study);
  EXPECT_FALSE(answer.own.allowed);
  for (const Placed& placed : answer.placed)
    for (const Location& rank : placed.placement.ranks) EXPECT_NE(rank.host, 1);
}

TEST(TheRulesOfPlace, AreRefusedWhereTheyCannotBe) {
  const auto complaint = [](const std::string& flags) {
    return complaint_of([&] { answer_of(study_of(rack, flags)); });
  };
  EXPECT_NE(complaint("{slots: 2}").find("no placement of 8 ranks keeps to the rules"),
            std::string::npos);
  EXPECT_NE(complaint("{slots: 2}").find("'place': the hosts have 6 slots for them"),
            std::string::npos);
  EXPECT_NE(complaint("{slots: 3, whole_hosts: true}")
                .find("hosts with all of their 3 slots used do not add up to this number"),
            std::string::npos);
  EXPECT_NE(complaint("{taken: [hots1]}").find("did you mean 'host1'?"), std::string::npos);
  EXPECT_NE(complaint("{ordre: any}").find("did you mean 'order'?"), std::string::npos);
  EXPECT_NE(complaint("{objective: tme}").find("did you mean 'time'?"), std::string::npos);
  const std::string doubling = rack + "place: {order: ring}\n";
  std::string other = doubling;
  other.replace(other.find("algorithm: ring"), 15, "algorithm: recursive_doubling");
  EXPECT_NE(complaint_of([&] { study_of(other); }).find("is no ring that may begin at any rank"),
            std::string::npos);
}

TEST(PlacedText, SaysWhichHostsInTheOrderOfTheRanks) {
  const PlaceStudy one = study_of(rack), two = study_of(sockets);
  const auto text = [](const PlaceStudy& study, const Assignment& assignment) {
    const Topology& topology = study.scenario.cluster.topology;
    const std::vector<Bin> bins = bins_of(topology, study.slot_kind);
    return placed_text(topology, bins, assignment) + ", " +
           counts_of(placement_of(study, bins, assignment));
  };
  EXPECT_EQ(text(one, {0, 0, 0, 0, 1, 1, 1, 2}), "4-3-1, 4-3-1");
  EXPECT_EQ(text(one, {0, 0, 1, 0, 2, 2, 2, 2}), "0x2 1 0 2x4, 4-3-1");
  EXPECT_EQ(text(one, {1, 1, 1, 1, 0, 0, 0, 0}), "1x4 0x4, 4-4");
  EXPECT_EQ(text(two, {0, 0, 1, 3}), "0.0x2 0.1 1.1, 3-1");
}

// NCCL chooses for the hosts that a placement uses: each placement takes the time of a run with the
// user's ranks there.
TEST(PlacementsOfNccl, take_the_time_of_a_run_wherever_the_users_ranks_are) {
  const auto on = [](const std::string& own) {
    return answer_of(
        study_of("scenario:\n  question: which?\n  cluster: h100_nvswitch\n"
                 "  library: nccl_h100\n  placement: {hosts: " +
                 own +
                 ", on: gpu}\n  job: {collective: allreduce, algorithm: nccl, bytes: "
                 "1 MiB}\nplace: {random: 0}\n"));
  };
  const PlaceAnswer together = on("2"), apart = on("1-1");
  EXPECT_EQ(together.placed.front().cost_s, together.own.cost_s);
  EXPECT_EQ(apart.placed.front().cost_s, together.own.cost_s);
  EXPECT_EQ(apart.placed.back().cost_s, apart.own.cost_s);
}

/// Four hosts of two cores in two racks, of which two are filled. `own`: the user's placement.
PlaceAnswer on_whole_hosts(const std::string& own) {
  return answer_of(study_of(R"(
scenario:
  question: which?
  cluster:
    network: two_level
    racks: 2
    hosts_per_rack: 2
    oversubscription: 4
    link: {bandwidth: 1 GB/s, latency: 5 us}
    host: {type: simple, cores: 2}
  library: rdma
  placement: )" + own + R"(
  job: {collective: allreduce, algorithm: recursive_doubling, bytes: 64 MiB, skew: 1 us}
place: {order: packed, whole_hosts: true, random: 0, budget: 1}
)"));
}

TEST(FreeLinks, take_the_time_of_whole_hosts_wherever_the_users_ranks_are) {
  const PlaceAnswer whole = on_whole_hosts("2-2"), spread = on_whole_hosts("1-1-1-1");
  ASSERT_TRUE(whole.free_s.has_value());
  EXPECT_EQ(whole.free_s, spread.free_s);
  for (const Placed& placed : whole.placed) EXPECT_LT(*whole.free_s, placed.cost_s);
}

}  // namespace
}  // namespace ringscope
