// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an explanation say what the run did, and does all of it add up?
#include "scenarios/answer/explain/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cases/cases.hpp"
#include "cli/terminal/failure.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string one_cpu = "one CPU has to push both";

Report explained(const Scenario& scenario, std::size_t limit = long_path_limit) {
  RunOptions options;
  options.kernel = "fluid";
  options.record_chain = true;
  options.path_limit = limit;
  return simulate(scenario, options);
}

std::vector<Report> explained(const std::string& name,
                              const std::vector<std::string>& changes = {"job.bytes=1MiB"}) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  std::vector<Report> reports;
  for (const Scenario& scenario : read_scenarios(name, overrides))
    reports.push_back(explained(scenario));
  return reports;
}

// The design's first page on the two placements.
TEST(Explain, says_of_the_anomaly_that_one_cpu_pushes_both_ways) {
  const std::vector<Report> reports = explained("03-anomaly");
  const std::string text = print_explanation(reports, false);
  std::string first_lines = text.substr(0, text.find("\n\n"));
  std::replace(first_lines.begin(), first_lines.end(), '\n', ' ');
  EXPECT_THAT(first_lines, HasSubstr("4-3-1 takes "));
  EXPECT_THAT(first_lines,
              HasSubstr("on host2, the host with one process, rank 7 receives from the network and "
                        "sends to the network, and one CPU has to push both"));
  EXPECT_THAT(reason(reports[0]), Not(HasSubstr(one_cpu)));
}

TEST(Explain, goes_by_the_run_and_not_by_the_scenario) {
  // The lone process first, and no name to go by.
  EXPECT_THAT(reason(explained("02-ring-of-8", {"cluster=rack3", "library=slow_tcp",
                                                "placement=1-3-4", "job.bytes=1MiB"})[0]),
              HasSubstr("on host0, the host with one process, rank 0 receives"));
}

// Lesson 15: NCCL leaves LL too early.
TEST(Explain, says_what_nccl_chose_and_what_would_have_been_faster) {
  const Scenario scenario = read_scenarios("15-ll-or-simple", {}).front();
  const Report report = explained(scenario);
  std::vector<NcclOutcome> outcomes;
  for (const NcclAlternative& one : nccl_alternatives(scenario))
    outcomes.push_back({one, explained(one.scenario)});
  ASSERT_EQ(outcomes.size(), 6);  // ring and tree by each protocol
  EXPECT_FALSE(outcomes[0].is(report));
  EXPECT_TRUE(outcomes[2].is(report));
  EXPECT_EQ(outcomes[2].report.time_s, report.time_s);
  EXPECT_THAT(reason(report), HasSubstr("the overhead of each message sets the pace"));  // no CPU
  const std::string text = print_nccl_choice(report, outcomes);
  EXPECT_THAT(text, HasSubstr("NCCL takes channel_rings, Simple, 8 channels. channel_rings, LL, 8 "
                              "channels would have been faster by "));
  const auto json = nccl_choice_json(report, outcomes);
  EXPECT_EQ(json["fastest_s"], outcomes[0].report.time_s);
  EXPECT_EQ(json["alternatives"][2]["is_choice"], true);
  EXPECT_EQ(print_nccl_choice(outcomes[0].report, outcomes).find("No permitted"),
            std::string("NCCL takes channel_rings, LL, 8 channels. ").size());
}

TEST(Explain, says_nothing_of_nccl_where_its_protocols_cost_nothing_known) {
  EXPECT_TRUE(nccl_alternatives(read_scenarios("02-ring-of-8", {}).front()).empty());
  EXPECT_TRUE(
      nccl_alternatives(
          read_scenarios("15-ll-or-simple", {parse_override("library=cuda_pinned")}).front())
          .empty());
}

TEST(Explain, has_no_rings_and_trees_to_choose_from_for_sends) {
  Scenario scenario = read_scenarios("15-ll-or-simple", {}).front();
  for (const char* collective : {"sendrecv", "alltoall"}) {
    scenario.job.algorithm = find_algorithm(collective, "nccl");
    ASSERT_NE(scenario.job.algorithm, nullptr);
    EXPECT_TRUE(nccl_alternatives(scenario).empty()) << collective;
  }
}

TEST(Explain, does_not_say_so_where_the_anomaly_is_gone) {
  const std::vector<Report> reports = explained("anomaly-gone");
  ASSERT_EQ(reports.size(), 14);
  EXPECT_THAT(reason(reports[1]), HasSubstr(one_cpu)) << reports[1].name;
  for (const std::size_t gone : {0U, 3U, 4U, 5U, 6U, 7U, 12U, 13U})
    EXPECT_THAT(reason(reports[gone]), Not(HasSubstr(one_cpu))) << reports[gone].name;
  for (const std::size_t slow_wire : {4U, 5U})
    EXPECT_THAT(reason(reports[slow_wire]), HasSubstr("link bandwidth sets the pace"));
  EXPECT_THAT(difference_reason(reports[4], reports[5], std::vector<std::string>{"a", "b"}),
              HasSubstr("b takes as long as a"));
}

TEST(Explain, names_the_lone_process_with_measured_costs_where_the_link_is_fast) {
  const std::vector<Report> reports = explained("anomaly-gone", {});
  EXPECT_THAT(reason(reports.at(9)), HasSubstr("link bandwidth sets the pace")) << reports[9].name;
  EXPECT_THAT(reason(reports.at(11)), HasSubstr(one_cpu)) << reports[11].name;
}

TEST(Explain, names_the_links_that_set_the_pace) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<Report> socket = explained("11-the-wrong-socket");
  EXPECT_THAT(difference_reason(socket[0], socket[1], names),
              AllOf(HasSubstr(", at host"), HasSubstr("host0/numa1->host0/numa0"),
                    HasSubstr(" and "), HasSubstr("host1/numa1->host1/numa0")));
  // Eight links of a ring do the same.
  EXPECT_THAT(reason(explained("02-ring-of-8").front()), HasSubstr("at 8 links ("));
}

class ExplainEach : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Lessons, ExplainEach,
                         testing::Values("01-two-hosts", "03-anomaly", "anomaly-gone",
                                         "05-eager-and-rendezvous", "06-overlap"));

TEST_P(ExplainEach, blames_the_whole_time_and_the_chain_covers_it) {
  for (const Report& report : explained(GetParam(), {})) {
    double sum = 0, chain = 0;
    for (const Blamed& one : blames(report)) sum += one.segment.seconds;
    EXPECT_NEAR(sum, report.time_s, 1e-9 * report.time_s) << report.name;
    ASSERT_NE(report.chain, nullptr);
    EXPECT_EQ(report.chain->begin_s, 0);
    for (const ChainSegment& one : report.chain->segments) {
      EXPECT_NEAR(one.start_s, chain, 1e-9 * report.time_s);
      EXPECT_GT(one.segment.seconds, 0);
      chain += one.segment.seconds;
    }
    EXPECT_NEAR(chain, report.time_s, 1e-9 * report.time_s);
  }
}

TEST_P(ExplainEach, differences_add_up_to_the_difference_of_the_times) {
  const std::vector<Report> reports = explained(GetParam(), {});
  for (const Report& other : reports) {
    double sum = 0;
    for (const BlameDifference& one : blame_differences(reports[0], other)) sum += one.seconds();
    EXPECT_NEAR(sum, other.time_s - reports[0].time_s, 1e-9 * reports[0].time_s) << other.name;
  }
}

TEST(Explain, totals_are_those_of_a_path_that_is_kept_whole) {
  const Scenario scenario =
      read_scenarios("03-anomaly", {parse_override("job.bytes=64KiB")}).back();
  const Report whole = explained(scenario), folded = explained(scenario, 100);
  EXPECT_GT(folded.chain->begin_s, 0);
  ASSERT_EQ(whole.path.size(), folded.path.size());
  for (const PathSegment& segment : whole.path) {
    const auto same = std::find_if(folded.path.begin(), folded.path.end(), [&](auto& one) {
      return one.cause == segment.cause && one.rank == segment.rank &&
             one.resource == segment.resource;
    });
    ASSERT_NE(same, folded.path.end());
    EXPECT_NEAR(same->seconds, segment.seconds, 1e-9 * whole.time_s);
  }
}

TEST(Explain, words_for_each_blame_name_who_was_waited_for) {
  const PathSegment work{Cause::compute, 3, {"host1/core0", 3}, 0.5};
  EXPECT_EQ(blame_text({Cause::compute, work}), "computing on host1/core0 (rank 3)");
  EXPECT_EQ(blame_text({Cause::progress, work}),
            "waiting for progress of rank 3 (computing on host1/core0 (rank 3))");
  const ChainSegment meanwhile{work, 0, Cause::progress};
  EXPECT_EQ(blamed(meanwhile).blame, Cause::progress);
  // Inside MPI a rank makes progress: it is no waiting for that.
  const ChainSegment copy{{Cause::copy, 3, {"host1/core0", 3}, 0.5}, 0, Cause::partner};
  EXPECT_EQ(blamed(copy).blame, Cause::copy);
}

TEST(Explain, waiting_for_progress_is_taken_from_what_the_rank_did_meanwhile) {
  double progress = 0;
  for (const Report& report : explained("06-overlap", {}))
    for (const Blamed& one : blames(report))
      if (one.blame == Cause::progress) progress += one.segment.seconds;
  EXPECT_GT(progress, 0);
}

TEST(OnlyCases, are_found_by_their_last_words) {
  const std::vector<Scenario> all = read_scenarios("03-anomaly", {});
  EXPECT_EQ(only_cases(all, {}).size(), 2);
  EXPECT_EQ(only_cases(all, {"4-3-1"}).at(0).name, "03-anomaly 4-3-1");
  try {
    only_cases(all, {"03-anomaly 4-3-2"});
    FAIL() << "there is no such case";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(failure.what(), HasSubstr("(known: 03-anomaly 4-2-2, 03-anomaly 4-3-1)"));
  }
}

TEST(WhatIf, candidates_are_what_the_path_spends_most_on) {
  Report report;
  report.path = {{Cause::copy, 0, {"core"}, 3},     {Cause::wire, -1, {"link"}, 2},
                 {Cause::overhead, 0, {"core"}, 1}, {Cause::latency, -1, {}, 0.75},
                 {Cause::protocol, -1, {}, 0.75},   {Cause::skew, 1, {}, 9}};
  const std::vector<Candidate> list = candidates(report, 4);
  ASSERT_EQ(list.size(), 4);
  EXPECT_EQ(list[0].name(), "core");
  EXPECT_EQ(list[0].on_path_s, 4);
  EXPECT_EQ(list[1].name(), "link");
  EXPECT_EQ(list[2].name(), "latency");
  EXPECT_EQ(list[2].on_path_s, 1.5);
  EXPECT_EQ(list[3].name(), "overhead per message");
  EXPECT_EQ(candidates(report, 2).size(), 2);
}

// The lone core is on nearly all of the path: with twice its speed, placed 4-3-1 it takes about as
// long as 4-2-2, where each core pushes one way.
TEST(WhatIf, twice_the_core_takes_the_anomaly_away) {
  const std::vector<Scenario> scenarios =
      read_scenarios("03-anomaly", {parse_override("job.bytes=4MiB")});
  const Report fast = explained(scenarios[0]), slow = explained(scenarios[1]);
  const Candidate core = candidates(slow, 1).at(0);
  EXPECT_THAT(core.name(), HasSubstr("(rank 7)"));
  const double time_s = explained(improved(scenarios[1], core)).time_s;
  EXPECT_NEAR(time_s, fast.time_s, 0.05 * fast.time_s);
  // The place alone does not name it: nobody else owns that core.
  Candidate others = core;
  others.resource.rank = 6;
  EXPECT_EQ(explained(improved(scenarios[1], others)).time_s, slow.time_s);
  others = core;
  others.resource.job = "training";
  EXPECT_EQ(explained(improved(scenarios[1], others)).time_s, slow.time_s);
}

// A message of one byte is nothing but latency and overhead: half of each is half of the time.
TEST(WhatIf, half_of_latency_and_overhead_is_half_of_an_empty_message) {
  const Scenario scenario =
      read_scenarios("01-two-hosts", {parse_override("job.bytes=1B")}).front();
  const Report report = explained(scenario);
  double latency = 0;
  for (const PathSegment& segment : report.path)
    if (segment.cause == Cause::latency || segment.cause == Cause::protocol)
      latency += segment.seconds;
  ASSERT_GT(latency, 0);
  const Candidate candidate{Candidate::Kind::latency, {}, latency};
  EXPECT_NEAR(explained(improved(scenario, candidate)).time_s, report.time_s - latency / 2,
              1e-9 * report.time_s);
}

Report taking(double time_s) {
  Report report;
  report.time_s = time_s;
  return report;
}

TEST(WhatIf, gains_are_sorted_and_written) {
  Report report;
  report.name = "x";
  report.time_s = 2;
  std::vector<Gain> gains = {{{Candidate::Kind::resource, {"link"}, 1}, taking(1.75)},
                             {{Candidate::Kind::latency, {}, 0.5}, taking(1.5)}};
  sort_gains(gains);
  const auto json = gains_json(report, gains);
  EXPECT_EQ(json["gains"][0]["what"], "latency");
  EXPECT_EQ(json["gains"][0]["gain_s"], 0.5);
  EXPECT_EQ(json["gains"][1]["kind"], "resource");
  EXPECT_THAT(print_gains(report, gains), HasSubstr("0.750 x"));
  EXPECT_THAT(print_gains(report, gains), Not(HasSubstr("A loss is no mistake")));
  std::vector<Gain> losses = gains;
  losses.front().with.time_s = 1.01 * report.time_s;
  EXPECT_THAT(print_gains(report, losses), HasSubstr("A loss is no mistake"));
  losses.front().with.time_s = (1 + 1e-6) * report.time_s;  // no loss that the table shows
  EXPECT_THAT(print_gains(report, losses), Not(HasSubstr("A loss is no mistake")));
}

TEST(WhatIf, where_nothing_gains_alone_it_says_so) {
  const Report report = taking(2);
  std::vector<Gain> gains = {{{Candidate::Kind::resource, {"link"}, 1}, taking(2)},
                             {{Candidate::Kind::resource, {"other"}, 1}, taking(2)}};
  EXPECT_THAT(print_gains(report, gains), HasSubstr("No one thing gains"));
  gains.front().with.time_s = 1.9;
  EXPECT_THAT(print_gains(report, gains), Not(HasSubstr("No one thing gains")));
  EXPECT_THAT(print_gains(report, {}), Not(HasSubstr("No one thing gains")));
}

TEST(WhatIf, an_improvement_with_which_it_never_ends_stands_last_and_is_told) {
  Report report = taking(2), stuck = taking(1);
  stuck.deadlock = Deadlock{"deadlock at 1 s", {{0, "waits", {1}}, {1, "waits", {0}}}, {0, 1}};
  std::vector<Gain> gains = {{{Candidate::Kind::resource, {"link"}, 1}, stuck},
                             {{Candidate::Kind::latency, {}, 0.5}, taking(1.5)}};
  sort_gains(gains);
  const auto json = gains_json(report, gains);
  ASSERT_EQ(json["gains"].size(), 1);
  EXPECT_EQ(json["gains"][0]["what"], "latency");
  EXPECT_EQ(json["stuck"][0]["what"], "link");
  EXPECT_EQ(json["stuck"][0]["deadlock"]["cycle"], (std::vector{0, 1}));
  const std::string screen = print_gains(report, gains);
  EXPECT_THAT(screen, HasSubstr("  deadlock  "));
  EXPECT_THAT(screen, testing::EndsWith("\n  With link at 2x speed it deadlocks after 1 s: "
                                        "ranks 0, 1 wait for each other.\n"));
}

TEST(ExplainJson, says_the_same_as_the_screen) {
  const std::vector<Report> reports = explained("03-anomaly");
  const auto json = explanation(reports);
  ASSERT_EQ(json["cases"].size(), 2);
  EXPECT_EQ(json["cases"][1]["reason"], reason(reports[1]));
  double rows = 0, chain = 0;
  for (const auto& row : json["cases"][1]["blames"]) rows += row["seconds"].get<double>();
  for (const auto& one : json["cases"][1]["chain"]) chain += one["seconds"].get<double>();
  EXPECT_NEAR(rows, reports[1].time_s, 1e-9 * rows);
  EXPECT_NEAR(chain, reports[1].time_s, 1e-9 * rows);
  double difference = 0;
  for (const auto& row : json["differences"][0]["rows"])
    difference += row["difference_s"].get<double>();
  EXPECT_NEAR(difference, json["differences"][0]["difference_s"].get<double>(), 1e-9 * rows);
}

}  // namespace
}  // namespace ringscope
