// Do the ranks of one host, simulated for all, have the times that all have when all are simulated?
#include <cctype>

#include "sim/alike/fold_for_test.hpp"

namespace ringscope {
namespace {

CauseSeconds by_cause(const Report& report) {
  CauseSeconds sums{};
  for (const PathSegment& segment : report.path)
    sums[static_cast<std::size_t>(segment.cause)] += segment.seconds;
  return sums;
}

void expect_same_ranks(const Report& fold, const Report& all) {
  const double within = close * all.time_s;
  ASSERT_EQ(fold.rank_reports.size(), all.rank_reports.size());
  for (std::size_t r = 0; r < all.rank_reports.size(); ++r) {
    const RankReport &one = fold.rank_reports[r], &other = all.rank_reports[r];
    EXPECT_EQ(one.rank, other.rank);
    EXPECT_EQ(one.host, other.host);
    EXPECT_EQ(one.numa, other.numa);
    EXPECT_NEAR(one.finish_s, other.finish_s, within) << "rank " << r;
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      EXPECT_NEAR(one.seconds[i], other.seconds[i], within) << r << " " << activity_names[i];
    for (std::size_t i = 0; i < one.waited_for.size(); ++i)
      EXPECT_NEAR(one.waited_for[i], other.waited_for[i], within) << r << " " << cause_names[i];
  }
}

void expect_same(const Report& fold, const Report& all) {
  const double within = close * all.time_s;
  EXPECT_GT(fold.simulated_ranks, 0) << fold.not_folded;
  EXPECT_EQ(all.simulated_ranks, 0);
  EXPECT_NEAR(fold.time_s, all.time_s, within);
  EXPECT_EQ(fold.messages, all.messages);
  EXPECT_EQ(fold.bytes_on_wire, all.bytes_on_wire);
  EXPECT_EQ(fold.bytes_between_hosts, all.bytes_between_hosts);
  expect_same_ranks(fold, all);
  ASSERT_EQ(fold.phases.size(), all.phases.size());
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    EXPECT_EQ(fold.phases[i].name, all.phases[i].name);
    EXPECT_NEAR(fold.phases[i].start_s, all.phases[i].start_s, within);
    EXPECT_NEAR(fold.phases[i].end_s, all.phases[i].end_s, within);
  }
  ASSERT_EQ(fold.resources.size(), all.resources.size());
  for (std::size_t i = 0; i < all.resources.size(); ++i) {
    EXPECT_NEAR(fold.resources[i].utilisation, all.resources[i].utilisation, close);
    EXPECT_EQ(fold.resources[i].kind, all.resources[i].kind);
  }
  const CauseSeconds ours = by_cause(fold), theirs = by_cause(all);
  double path = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    path += ours[i];
    EXPECT_NEAR(ours[i], theirs[i], within) << "path: " << cause_names[i];
  }
  EXPECT_NEAR(path, fold.time_s, within);
  EXPECT_EQ(fold.training.has_value(), all.training.has_value());
  if (!fold.training || !all.training) return;
  EXPECT_EQ(fold.training->devices, all.training->devices);
  EXPECT_NEAR(fold.training->step_s, all.training->step_s, within);
  EXPECT_NEAR(fold.training->compute_s, all.training->compute_s, within);
  EXPECT_NEAR(fold.training->exposed_s, all.training->exposed_s, within);
}

// --- all algorithms that say so, by all libraries

struct Case {
  std::string job, library, placement;
  int bytes;  ///< of a rank's vector per rank
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.job + "_" + info.param.library + "_" + info.param.placement + "_" +
                     std::to_string(info.param.bytes);
  std::erase_if(name,
                [](char c) { return c != '_' && !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}

Scenario scenario_for(const Case& one) {
  const int hosts = std::stoi(one.placement.substr(one.placement.find('x') + 1));
  const int each = std::stoi(one.placement);
  return scenario_of(fmt::format("{}library: {}\nplacement: {}\njob: {{{}{}}}\n", star(hosts),
                                 one.library, one.placement, one.job,
                                 one.job.starts_with("collective: barrier")
                                     ? ""
                                     : fmt::format(", bytes: {} B", one.bytes * each * hosts)));
}

class FoldedCase : public testing::TestWithParam<Case> {};

TEST_P(FoldedCase, has_the_times_of_all_ranks) {
  const Scenario scenario = scenario_for(GetParam());
  expect_same(folded(scenario), whole(scenario));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.alike == nullptr || algorithm.collective == "training" ||
        algorithm.chosen != nullptr)
      continue;
    const std::string job =
        fmt::format("collective: {}, algorithm: {}", algorithm.collective, algorithm.name);
    for (const char* library : {"ideal", "openmpi_tcp", "slow_tcp", "rdma", "progress_thread"})
      for (const char* placement : {"1x5", "2x4", "4x3"})
        for (const int bytes : {8, 6000, 200'000})
          if (algorithm.collective != "barrier" || bytes == 8)
            all.push_back({job, library, placement, bytes});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FoldedCase, testing::ValuesIn(cases()), name_of);

// --- training

TEST(Fold, a_step_of_training_is_that_of_all_devices) {
  for (const char* library : {"openmpi_tcp", "rdma", "ideal"})
    for (const char* overlap : {"none", "nonblocking", "thread"})
      for (const char* placement : {"1x4", "2x4", "4x2"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", library, overlap, placement));
        const Scenario scenario = training(
            placement, fmt::format("overlap: {}, bucket: 2 MB, steps: 2, exchange: ring", overlap),
            library);
        expect_same(folded(scenario), whole(scenario));
      }
}

TEST(Fold, all_kernels_say_the_same) {
  const Scenario scenario =
      scenario_for({"collective: allreduce, algorithm: ring", "openmpi_tcp", "2x4", 20'000});
  expect_same(folded(scenario, "reference"), whole(scenario, "reference"));
  EXPECT_NEAR(folded(scenario, "reference").time_s, folded(scenario).time_s,
              close * whole(scenario).time_s);
}

// --- GPUs

TEST(Fold, gpus_of_all_hosts_are_as_busy) {
  for (const char* algorithm : {"ring", "two_level", "parallel_rings"})
    for (const char* library : {"cuda_pinned", "cuda_pageable"}) {
      SCOPED_TRACE(fmt::format("{} {}", algorithm, library));
      const Scenario scenario = scenario_of(
          fmt::format("cluster: gpu4x4_25g\nlibrary: {}\nplacement: {{hosts: 4x4, on: gpu}}\n"
                      "job: {{collective: allreduce, algorithm: {}, bytes: 1600000 B}}\n",
                      library, algorithm));
      const Report fold = folded(scenario);
      if (fold.simulated_ranks == 0) GTEST_SKIP() << fold.not_folded;
      expect_same(fold, whole(scenario));
    }
}

}  // namespace
}  // namespace ringscope
