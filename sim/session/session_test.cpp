// SPDX-License-Identifier: LGPL-2.1-or-later
// Is what an estimate proved used, and does every front end get all warnings?
#include "sim/session/session.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ringscope {
namespace {

constexpr const char* ring_of_256 =
    "question: how long\ncluster: star64\nlibrary: rdma\nplacement: 8x32\n"
    "job: {collective: allreduce, algorithm: ring, bytes: 1MiB}\n";

TEST(Session, simulates_by_the_proof_that_the_estimate_made) {
  const std::vector<Scenario> scenarios = read({"here", ring_of_256, {}});
  EXPECT_EQ(estimated(scenarios[0], {}, false, std::numeric_limits<double>::infinity()).alike,
            nullptr);
  // Which ranks stand for others matters where all do not fit.
  const double too_little = estimate_of(scenarios[0], false).memory_bytes - 1;
  Case one = estimated(scenarios[0], {}, false, too_little);
  ASSERT_NE(one.alike, nullptr);
  ASSERT_TRUE(one.alike->orbits);
  const Report folded = simulate_case(one, {});
  EXPECT_EQ(folded.simulated_ranks, one.alike->orbits->simulated);
  // Another proof makes another run: none is made beside it.
  one.alike = std::make_shared<const sim::Alike>(sim::Alike{{}, "for a test", 0});
  const Report whole = simulate_case(one, {});
  EXPECT_EQ(whole.not_folded, "for a test");
  EXPECT_DOUBLE_EQ(whole.time_s, folded.time_s);
}

TEST(Session, tells_a_question_of_background_jobs_that_come_too_late) {
  const std::string text =
      "question: how long\ncluster: star64\nlibrary: rdma\nplacement: 1-1\n"
      "job: {collective: allreduce, algorithm: ring, bytes: 1KiB}\n"
      "neighbours:\n  late: {start: 5s, placement: 0x2-1-1,\n"
      "         job: {collective: allreduce, algorithm: ring, bytes: 1KiB}}\n";
  const std::vector<Report> reports = answer({}, {"here", text, {}});
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_FALSE(reports[0].warnings.empty());
  EXPECT_EQ(
      reports[0].warnings[0],
      "background job 'late' changes nothing: its 'start' of 5 s is after the end of the job");
}

TEST(Session, tells_of_equal_cases_unless_changes_made_them_equal) {
  const std::string text =
      "question: how long\ncluster: star64\nlibrary: rdma\nplacement: 1-1\n"
      "job: {collective: allreduce, algorithm: ring, bytes: 1KiB}\n"
      "cases: [{name: a}, {name: b}]\n";
  EXPECT_EQ(answer({}, {"here", text, {}})[1].warnings,
            std::vector<std::string>{"the same scenario as here a"});
  EXPECT_TRUE(answer({.as_written = false}, {"here", text, {}})[1].warnings.empty());
}

TEST(Session, announces_all_cases_before_the_first_is_simulated) {
  const std::vector<Scenario> scenarios = read({"here", ring_of_256, {}});
  std::string order;
  Session session;
  session.announce = [&](std::span<const Case> cases) { order += std::to_string(cases.size()); };
  session.perform = [&](std::span<const Case> cases) {
    order += " simulated";
    return SomeReports(cases.size());
  };
  EXPECT_FALSE(answer(session, scenarios)[0]);
  EXPECT_EQ(order, "1 simulated");
}

}  // namespace
}  // namespace ringscope
