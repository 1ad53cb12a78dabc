// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the accounts of a report add up, and does the same question get the same answer?
#include <algorithm>
#include <numeric>
#include <set>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::accounting_test {
namespace {

struct Question {
  const char* name;
  const char* yaml;
};

// One of each kind: protocols, drivers, threads, sharing, tests, skew.
constexpr Question questions[] = {
    {"ring_on_tcp", R"(
cluster: rack3
library: slow_tcp
placement: 4-3-1
job: {collective: allreduce, algorithm: ring, bytes: 3000001 B, skew: 200 us, repetitions: 3}
)"},
    {"two_threads_on_one_endpoint", R"(
cluster: rack3
library: slow_tcp
placement: 4-3-1
job: {collective: allreduce, algorithm: ring_two_threads, bytes: 2 MiB, repetitions: 3}
)"},
    {"progress_thread_on_the_same_core", R"(
cluster: rack3
library: {base: progress_thread, progress_core: shared}
placement: 4-2-2
job: {collective: allreduce, algorithm: ring_segmented, bytes: 4 MiB, skew: 1 ms, repetitions: 3}
)"},
    {"offload_with_folding", R"(
cluster: star8
library: offload
placement: 1x7
job: {collective: allreduce, algorithm: rabenseifner, bytes: 1 MiB, skew: 50 us, repetitions: 3}
)"},
    {"two_ranks_on_one_core", R"(
cluster: pair
library: openmpi_tcp
placement: {hosts: 9-9, oversubscribe: true}
job: {collective: allreduce, algorithm: recursive_doubling, bytes: 256 KiB, repetitions: 3}
)"},
    {"sockets", R"(
cluster: numa_pair
library: openmpi_tcp
placement: {hosts: 4-4, map_by: numa, bind: numa}
job: {collective: allreduce, algorithm: ring_waitall, bytes: 8 MiB, skew: 1 ms, repetitions: 3}
)"},
    {"tests_between_computations", R"(
cluster: pair
library: openmpi_tcp
placement: 1-1
job:
  collective: overlap
  algorithm: sender_tests
  bytes: 8 MiB
  options: {compute: 5 ms, rounds: 20}
  repetitions: 3
)"},
    {"an_eager_pingpong", R"(
cluster: pair
library: openmpi_tcp
placement: 1-1
job:
  collective: pingpong
  algorithm: blocking
  bytes: 4 KiB
  options: {rounds: 100}
  repetitions: 3
)"},
};

class Accounts : public SimulationTest, public testing::WithParamInterface<Question> {};
std::string name_of(const testing::TestParamInfo<Question>& question) {
  return question.param.name;
}
INSTANTIATE_TEST_SUITE_P(Scenarios, Accounts, testing::ValuesIn(questions), name_of);

double sum(const auto& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

double of(const RankReport& rank, RankActivity activity) {
  return rank.seconds[static_cast<std::size_t>(activity)];
}

void expect_ranks_add_up(const Report& report) {
  for (const RankReport& rank : report.rank_reports) {
    SCOPED_TRACE(rank.rank);
    EXPECT_NEAR(sum(rank.seconds), report.time_s, 1e-9 * report.time_s);
    EXPECT_NEAR(sum(rank.waited_for),
                of(rank, RankActivity::in_send) + of(rank, RankActivity::in_wait),
                1e-9 * report.time_s);
    for (const double seconds : rank.seconds) EXPECT_GE(seconds, 0);
    for (const double seconds : rank.waited_for) EXPECT_GE(seconds, 0);
    EXPECT_GT(rank.finish_s, 0);
    EXPECT_LE(rank.finish_s, report.time_s);
  }
}

void expect_path_adds_up(const Report& report) {
  double path = 0;
  for (const PathSegment& segment : report.path) {
    EXPECT_GT(segment.seconds, 0);
    path += segment.seconds;
  }
  EXPECT_NEAR(path, report.time_s, 1e-9 * report.time_s);
  EXPECT_TRUE(std::is_sorted(report.path.begin(), report.path.end(), [](auto& a, auto& b) {
    return a.seconds > b.seconds * (1 + 1e-8);  // equals, but for rounding, stand in another order
  })) << "the longest segment stands first";
}

void expect_phases_in_order(const Report& report) {
  ASSERT_FALSE(report.phases.empty());
  double before = 0;
  for (const PhaseReport& phase : report.phases) {
    SCOPED_TRACE(phase.name);
    EXPECT_LE(before, phase.start_s);
    EXPECT_LE(phase.start_s, phase.end_s);
    EXPECT_LE(phase.end_s, report.time_s);
    before = phase.start_s;
  }
  if (report.collective == "overlap") return;  // its receiver is in no phase
  const auto last = std::max_element(report.phases.begin(), report.phases.end(),
                                     [](auto& a, auto& b) { return a.end_s < b.end_s; });
  EXPECT_NEAR(last->end_s, report.time_s, 1e-9 * report.time_s);
}

void expect_resources_sound(const Report& report) {
  for (const ResourceReport& resource : report.resources) {
    EXPECT_GT(resource.utilisation, 0) << resource.id.name();
    EXPECT_LE(resource.utilisation, 1 + 1e-9) << resource.id.name();
  }
}

TEST_P(Accounts, add_up) {
  const Report report = run(scenario_of(GetParam().yaml));
  expect_ranks_add_up(report);
  expect_path_adds_up(report);
  expect_phases_in_order(report);
  expect_resources_sound(report);
}

TEST_P(Accounts, report_the_median_repetition) {
  const Report report = run(scenario_of(GetParam().yaml));
  std::vector<double> times = report.times_s;
  ASSERT_EQ(times.size(), 3u);
  std::sort(times.begin(), times.end());
  EXPECT_EQ(report.time_s, times[1]);
}

// Results without chance are the same in every repetition, whatever the one before left.
TEST_P(Accounts, repeat_what_does_not_depend_on_chance) {
  Scenario scenario = scenario_of(GetParam().yaml);
  scenario.job.skew = Seconds(0);
  const Report report = run(scenario);
  for (const double time : report.times_s) EXPECT_NEAR(time, report.time_s, 1e-9 * report.time_s);
}

TEST(Phases, have_all_calls_of_rooted_collectives) {
  for (const char* collective : {"broadcast", "reduce", "gather", "scatter"})
    for (const Algorithm& algorithm : catalogue()) {
      if (algorithm.collective != collective) continue;
      SCOPED_TRACE(fmt::format("{} {}", collective, algorithm.name));
      const Scenario scenario =
          scenario_of(fmt::format("cluster: star8\nlibrary: rdma\nplacement: 1x8\n"
                                  "job: {{collective: {}, algorithm: {}, bytes: 1 MiB}}\n",
                                  collective, algorithm.name));
      RunOptions options;
      options.record_spans = true;
      const Report report = simulate(scenario, options);
      if (report.phases.empty()) continue;
      double end = 0;
      for (const PhaseReport& phase : report.phases) end = std::max(end, phase.end_s);
      EXPECT_NEAR(end, report.time_s, 1e-9 * report.time_s);
      for (const Span& span : report.spans) EXPECT_GE(span.phase, 0) << "rank " << span.rank;
    }
}

TEST_P(Accounts, cover_each_rank_with_spans_and_each_wait_with_its_causes) {
  RunOptions options;
  options.record_spans = true;
  const Report report = simulate(scenario_of(GetParam().yaml), options);
  std::vector<double> covered(static_cast<std::size_t>(report.ranks));
  std::vector<CauseSeconds> waited(covered.size());
  for (const Span& span : report.spans) {
    EXPECT_LT(span.start_s, span.end_s);
    const bool blocked =
        span.activity == RankActivity::in_send || span.activity == RankActivity::in_wait;
    EXPECT_EQ(span.cause.has_value(), blocked);
    covered[static_cast<std::size_t>(span.rank)] += span.end_s - span.start_s;
    if (span.cause)
      waited[static_cast<std::size_t>(span.rank)][static_cast<std::size_t>(*span.cause)] +=
          span.end_s - span.start_s;
  }
  for (const RankReport& rank : report.rank_reports) {
    EXPECT_NEAR(covered[static_cast<std::size_t>(rank.rank)],
                sum(rank.seconds) - of(rank, RankActivity::idle), 1e-9 * report.time_s);
    for (std::size_t cause = 0; cause < cause_names.size(); ++cause)
      EXPECT_NEAR(waited[static_cast<std::size_t>(rank.rank)][cause], rank.waited_for[cause],
                  1e-9 * report.time_s)
          << cause_names[cause];
  }
}

// Each repetition draws numbers of its own, each rank one of them.
class Skew : public SimulationTest {
 protected:
  static Scenario late(std::uint64_t seed) {
    Scenario scenario = scenario_of(R"(
cluster: star8
library: ideal
placement: 1x8
job: {collective: barrier, algorithm: dissemination, skew: 1 ms, repetitions: 5}
)");
    scenario.job.seed = seed;
    return scenario;
  }
};

TEST_F(Skew, differs_between_repetitions_and_stays_below_its_bound) {
  const Report report = run(late(1));
  const std::set<double> different(report.times_s.begin(), report.times_s.end());
  EXPECT_EQ(different.size(), report.times_s.size());
  for (const double time : report.times_s) EXPECT_LT(time, 1e-3 + 3 * 10e-6 + 1e-12);
}

TEST_F(Skew, makes_each_rank_idle_at_first) {
  const Report report = run(late(1));
  std::set<double> starts;
  for (const RankReport& rank : report.rank_reports)
    starts.insert(rank.finish_s - of(rank, RankActivity::in_wait));
  EXPECT_EQ(starts.size(), 8u);
}

// Rank 0 is late by the first number of mt19937_64, 14514284786278117030 for its default seed.
TEST_F(Skew, skew_follows_from_the_seed) {
  Scenario scenario = late(5489);
  scenario.job.repetitions = 1;
  const Report report = run(scenario);
  const double late_by = static_cast<double>(14514284786278117030u >> 11) * 0x1p-53 * 1e-3;
  const RankReport& first = report.rank_reports.front();
  EXPECT_NEAR(first.finish_s - of(first, RankActivity::in_wait), late_by, 1e-12);
}

}  // namespace
}  // namespace ringscope::accounting_test
