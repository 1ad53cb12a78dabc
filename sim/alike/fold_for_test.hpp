// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of folding: scenarios on a star, simulated with all ranks and with those of one host.
#pragma once

#include <fmt/core.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {

inline constexpr double close = 1e-9;

inline std::string star(int hosts, const std::string& host = "{type: simple, cores: 8}",
                        const std::string& more = "") {
  return fmt::format(
      "cluster: {{network: star, hosts: {}, host: {}, link: {{bandwidth: 10 Gbit/s, latency: 5 "
      "us}}{}}}\n",
      hosts, host, more);
}

inline Report folded(const Scenario& scenario, std::string_view kernel = "fluid") {
  RunOptions options;
  options.kernel = kernel;
  options.fold_from = 2;
  return simulate(scenario, options);
}

inline Report whole(const Scenario& scenario, std::string_view kernel = "fluid") {
  RunOptions options;
  options.kernel = kernel;
  options.fold_from = never_fold;
  options.fold_channels = false;
  return simulate(scenario, options);
}

/// Algorithms that say that ranks are alike, without training and those that choose another.
inline std::vector<Algorithm> declared_alike() {
  std::vector<Algorithm> found;
  for (const Algorithm& algorithm : catalogue())
    if (algorithm.alike != nullptr && algorithm.collective != "training" &&
        algorithm.chosen == nullptr)
      found.push_back(algorithm);
  return found;
}

inline std::string job_of(const Algorithm& algorithm) {
  return fmt::format("collective: {}, algorithm: {}", algorithm.collective, algorithm.name);
}

// --- all that a report of one replica has to have in common with that of all ranks

inline CauseSeconds by_cause(const Report& report) {
  CauseSeconds sums{};
  for (const PathSegment& segment : report.path)
    sums[static_cast<std::size_t>(segment.cause)] += segment.seconds;
  return sums;
}

inline void expect_same_ranks(const Report& fold, const Report& all) {
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

inline void expect_same(const Report& fold, const Report& all) {
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
  EXPECT_NEAR(fold.training->busy_s, all.training->busy_s, within);
  EXPECT_NEAR(fold.training->exposed_s, all.training->exposed_s, within);
  EXPECT_NEAR(fold.training->bubble_s, all.training->bubble_s, within);
}

/// So many ranks, simulated, have the times of all.
inline void expect_folds_to(const Scenario& scenario, int simulated) {
  const Report fold = folded(scenario);
  EXPECT_EQ(fold.simulated_ranks, simulated) << fold.not_folded;
  expect_same(fold, whole(scenario));
}

inline const std::string gradients_model =
    "{records: 1000, record: 1 kB, batch: 10, step: 30 ms, layers: ["
    "{name: a, parameters: 960000, flops: 1}, {name: b, parameters: 480000, flops: 2}]}";

inline Scenario training(const std::string& placement, const std::string& options,
                         const std::string& library, const std::string& algorithm = "ddp") {
  const int hosts = std::stoi(placement.substr(placement.find('x') + 1));
  return scenario_of(
      fmt::format("{}library: {}\nplacement: {}\nstorage: {{bandwidth: 1 GB/s}}\n"
                  "job: {{collective: training, algorithm: {}, options: {{model: {}, "
                  "{}}}}}\n",
                  star(hosts), library, placement, algorithm, gradients_model, options));
}

}  // namespace ringscope
