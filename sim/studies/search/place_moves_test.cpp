// SPDX-License-Identifier: LGPL-2.1-or-later
// Do ranks that stay, stay, and are ranks that shall be apart so, and is the best of what is left
// found? Against all assignments of small machines. Does the worst of one fault, a link, a NIC or a
// slow host, take as long as by hand?
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "sim/studies/search/place_points.hpp"
#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope::moves_test {
namespace {

using testing::HasSubstr;

/// Two racks of two hosts; six workers on the first three hosts, two servers on the first.
const std::string servers =
    "scenario:\n"
    "  question: which?\n"
    "  cluster: {base: two_level, racks: 2, hosts_per_rack: 2, oversubscription: 4,\n"
    "            host: {type: simple, cores: 5}}\n"
    "  library: rdma\n"
    "  placement: [{hosts: 2-2-2}, {hosts: 2}]\n"
    "  job: {collective: parameter_server, algorithm: synchronous, bytes: 1 MB,\n"
    "        options: {servers: 2}}\n";

const std::string stages =
    "scenario:\n"
    "  question: which?\n"
    "  cluster: {base: star8, hosts: 5, host: {type: simple, cores: 2}}\n"
    "  library: rdma\n"
    "  placement: 2-2-2\n"
    "  job:\n"
    "    groups: {tp: 2, pp: 3}\n"
    "    program:\n"
    "      - {allreduce: 1 MiB, on: tp}\n"
    "      - {allreduce: 1 MiB, on: pp}\n";

std::vector<Assignment> all_assignments(std::size_t ranks, int bins) {
  std::vector<Assignment> assignments = {{}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<Assignment> longer;
    for (const Assignment& assignment : assignments)
      for (int bin = 0; bin < bins; ++bin) {
        longer.push_back(assignment);
        longer.back().push_back(bin);
      }
    assignments = std::move(longer);
  }
  return assignments;
}

/// Hosts of the ranks that move.
std::vector<int> hosts_of(const PlaceStudy& study, const Placement& placement) {
  std::vector<int> hosts;
  for (const int rank : study.moved) hosts.push_back(placement.ranks[rank].host);
  return hosts;
}

/// Least time of all assignments to hosts that have so many cores left, each on its host's cores
/// after those in use; `keeps` has the last word.
double least_time(const PlaceStudy& study, int cores,
                  const std::function<bool(const std::vector<int>&)>& keeps) {
  double least = std::numeric_limits<double>::infinity();
  const int hosts = static_cast<int>(study.scenario.cluster.topology.hosts().size());
  for (const Assignment& assignment : all_assignments(study.moved.size(), hosts)) {
    Scenario scenario = study.scenario;
    Table<std::set<int>> used(hosts);
    for (int rank = 0; rank < std::ssize(scenario.placement.ranks); ++rank)
      if (std::ranges::count(study.moved, rank) == 0)
        used[scenario.placement.ranks[rank].host].insert(scenario.placement.ranks[rank].core);
    bool fits = keeps(assignment);
    for (std::size_t i = 0; i < assignment.size(); ++i) {
      Location& rank = scenario.placement.ranks[study.moved[i]];
      rank.host = assignment[i];
      rank.core = 0;
      while (!used[rank.host].insert(rank.core).second) ++rank.core;
      fits = fits && rank.core < cores;
    }
    if (fits) least = std::min(least, simulated_outcome(scenario).time_s);
  }
  return least;
}

void expect_others_stay(const PlaceStudy& study, const PlaceAnswer& answer) {
  for (const Placed& placed : answer.placed) {
    std::set<std::pair<int, int>> cores;
    for (int rank = 0; rank < std::ssize(placed.placement.ranks); ++rank) {
      const Location &is = placed.placement.ranks[rank],
                     &was = study.scenario.placement.ranks[rank];
      EXPECT_TRUE(cores.insert({is.host, is.core}).second) << placed.placement.text;
      if (std::ranges::count(study.moved, rank) > 0) continue;
      EXPECT_EQ(is.host, was.host) << placed.placement.text;
      EXPECT_EQ(is.core, was.core) << placed.placement.text;
    }
  }
}

TEST(MoveServers, finds_the_best_of_all_assignments_and_leaves_the_workers) {
  const PlaceStudy study = study_of(servers, "{move: servers}");
  EXPECT_EQ(study.moved, (std::vector<int>{6, 7}));
  const PlaceAnswer answer = answer_of(study);
  EXPECT_FALSE(answer.searched);
  expect_others_stay(study, answer);
  const double least = least_time(study, 5, [](const auto&) { return true; });
  EXPECT_NEAR(answer.placed.front().cost_s, least, 1e-9 * least);
  EXPECT_LT(least, answer.own.cost_s);
  ASSERT_TRUE(answer.same.has_value());
  EXPECT_EQ(answer.placed[*answer.same].placement.text, answer.own.placement.text);
}

TEST(MoveServers, apart_are_on_two_hosts_in_all_placements_and_searches) {
  for (const std::string said :
       {"{move: servers, apart: servers}", "{move: servers, apart: [6, 7], budget: 4}"}) {
    const PlaceStudy study = study_of(servers, said);
    const PlaceAnswer answer = answer_of(study);
    expect_others_stay(study, answer);
    for (const Placed& placed : answer.placed) {
      const std::vector<int> hosts = hosts_of(study, placed.placement);
      EXPECT_NE(hosts[0], hosts[1]);
    }
    EXPECT_FALSE(answer.own.allowed);
    if (answer.searched) continue;
    const double least =
        least_time(study, 5, [](const auto& hosts) { return hosts[0] != hosts[1]; });
    EXPECT_NEAR(answer.placed.front().cost_s, least, 1e-9 * least);
    Count sum = 0;
    for (const Placed& placed : answer.placed) sum += placed.alike;
    EXPECT_EQ(answer.raw, sum);
  }
}

TEST(Pin, moves_all_others_of_a_ring_and_finds_the_best_of_all_assignments) {
  const PlaceStudy study = study_of(rack, "{pin: '0-2,5', apart: '5,6', slots: 4}");
  EXPECT_EQ(study.moved, (std::vector<int>{3, 4, 6, 7}));
  EXPECT_EQ(study.rules.apart, (std::set<int>{2}));
  EXPECT_EQ(study.rules.closed, (std::set<int>{1}));
  const PlaceAnswer answer = answer_of(study);
  EXPECT_FALSE(answer.searched);
  expect_others_stay(study, answer);
  const double least = least_time(study, 4, [](const auto& hosts) { return hosts[2] != 1; });
  EXPECT_NEAR(answer.placed.front().cost_s, least, 1e-9 * least);
}

TEST(MoveAStage, moves_its_ranks_alone_host_after_host) {
  const PlaceStudy study = study_of(stages, "{move: pp=2, whole_hosts: true, order: packed}");
  EXPECT_EQ(study.moved, (std::vector<int>{4, 5}));
  const PlaceAnswer answer = answer_of(study);
  expect_others_stay(study, answer);
  EXPECT_EQ(answer.placed.size(), 1u);  // the free hosts are alike
  EXPECT_EQ(answer.placed.front().alike, Count(3));
  EXPECT_EQ(hosts_of(study, answer.placed.front().placement), (std::vector<int>{2, 2}));
}

TEST(MovedRanks, say_what_is_wrong) {
  const auto complaint = [](const std::string& yaml, const std::string& said) {
    return complaint_of([&] { answer_of(study_of(yaml, said)); });
  };
  const auto of = [&](const std::string& said) { return complaint(servers, said); };
  EXPECT_THAT(of("{move: servrs}"), HasSubstr("expected ranks such as 3,5-7, servers, workers"));
  EXPECT_THAT(of("{pin: 5-8}"), HasSubstr("rank 8 of '5-8': the job has ranks 0 to 7"));
  EXPECT_THAT(of("{move: servers, pin: 4-7}"), HasSubstr("none is left to move"));
  EXPECT_THAT(of("{move: pp=2}"), HasSubstr("has no groups such as 'pp'"));
  EXPECT_THAT(of("{apart: '0,1', pin: workers}"), HasSubstr("both stay on host0"));
  EXPECT_THAT(of("{apart: 0-4}"), HasSubstr("5 of them are apart, and 4 hosts have slots"));
  EXPECT_THAT(of("{apart: 0-3, order: packed}"), HasSubstr("omit 'order' or set it to 'any'"));
  EXPECT_THAT(complaint(rack, "{move: servers}"), HasSubstr("ring has no parameter servers"));
  EXPECT_THAT(complaint(rack, "{pin: 0, order: ring}"), HasSubstr("'any' tries all orders"));
  EXPECT_THAT(complaint(stages, "{move: p=2}"),
              HasSubstr("unknown kind of groups 'p' (known: tp, pp)"));
  EXPECT_THAT(complaint(stages, "{move: pp=3}"), HasSubstr("2"));
  EXPECT_THAT(complaint(stages, "{pin: 0, groups: all}"), HasSubstr("omit 'groups'"));
}

const std::string gather =
    "  library: ideal\n"
    "  placement: 1-1\n"
    "  job: {collective: allgather, algorithm: ring, bytes: 100 MB}\n";

// 50 MB over an uplink of 0.5 GB/s, or over a NIC of 1 GB/s, of which a quarter is left.
TEST(WorstNic, leaves_out_the_cables_between_switches) {
  const std::string racks =
      "scenario:\n"
      "  question: which?\n"
      "  cluster:\n"
      "    network: two_level\n"
      "    racks: 2\n"
      "    hosts_per_rack: 1\n"
      "    link: {bandwidth: 1 GB/s, latency: 0 s}\n"
      "    uplink: {bandwidth: 0.5 GB/s}\n"
      "    host: {type: simple, cores: 1}\n" +
      gather;
  EXPECT_NEAR(answer_of(study_of(racks, "{objective: worst_link, degrade: 0.25}")).own.cost_s, 0.4,
              1e-6);
  const PlaceAnswer nic = answer_of(study_of(racks, "{objective: worst_nic, degrade: 0.25}"));
  EXPECT_NEAR(nic.own.cost_s, 0.2, 1e-6);
  EXPECT_THAT(nic.own.degraded, HasSubstr("nic0"));
}

TEST(WorstNic, dead_nic_leaves_the_other_one) {
  const std::string two =
      "scenario:\n"
      "  question: which?\n"
      "  cluster:\n"
      "    network: star\n"
      "    hosts: 2\n"
      "    link: {bandwidth: 1 GB/s, latency: 0 s}\n"
      "    host: {type: numa, nics: [{}, {}]}\n" +
      gather;
  EXPECT_NEAR(answer_of(study_of(two, "{objective: worst_nic, degrade: 0}")).own.cost_s, 0.05,
              1e-6);
}

const std::string computing =
    "scenario:\n"
    "  question: which?\n"
    "  cluster: {base: star8, hosts: 3, host: {type: simple, cores: 1}}\n"
    "  library: ideal\n"
    "  placement: 1-1\n"
    "  job: {program: [{compute: 1 s}, {allreduce: 1 B}]}\n";

TEST(Straggler, is_each_host_with_ranks_in_turn) {
  const PlaceAnswer answer =
      answer_of(study_of(computing, "{objective: straggler, degrade: 0.25}"));
  EXPECT_EQ(answer.placed.size(), 1u);  // the hosts are alike
  EXPECT_NEAR(answer.own.cost_s, 4, 1e-3);
  EXPECT_THAT(answer.own.degraded, HasSubstr("host"));
}

TEST(Straggler, by_its_name_is_avoided) {
  const PlaceAnswer answer = answer_of(study_of(computing, "{straggler: {hosts: [host0]}}"));
  EXPECT_NEAR(answer.own.cost_s, 2, 1e-3);
  EXPECT_EQ(answer.own.degraded, "host0");
  EXPECT_NEAR(answer.placed.front().cost_s, 1, 1e-3);
  EXPECT_EQ(answer.placed.front().degraded, "");
  for (const Location& rank : answer.placed.front().placement.ranks) EXPECT_NE(rank.host, 0);
}

TEST(Faults, say_what_is_wrong) {
  const auto complaint = [](const std::string& said) {
    return complaint_of([&] { study_of(computing, said); });
  };
  EXPECT_THAT(complaint("{straggler: {hosts: [host9]}}"), HasSubstr("host9"));
  EXPECT_THAT(complaint("{straggler: {hosts: [host0]}, objective: time}"),
              HasSubstr("'straggler' goes with the objective 'straggler'"));
  EXPECT_THAT(complaint("{objective: straggler, degrade: 0}"), HasSubstr("0.001"));
  EXPECT_THAT(complaint("{objective: straggler, straggler: {host: 1}}"),
              HasSubstr("did you mean 'hosts'?"));
  EXPECT_THAT(complaint_of([] {
                study_of(rack.substr(0, rack.size() - 2) +
                             ", noise: {stragglers: {ranks: [1], slowdown: 2}}}\n",
                         "{objective: straggler}");
              }),
              HasSubstr("the job has 'stragglers' already"));
}

}  // namespace
}  // namespace ringscope::moves_test
