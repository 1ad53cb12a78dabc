// SPDX-License-Identifier: LGPL-2.1-or-later
// Do ranks of a leaf or a pod, simulated for all, have the times that all have when all are
// simulated?
#include <gmock/gmock.h>

#include "sim/alike/fold_for_test.hpp"

namespace ringscope {
namespace {

constexpr int hosts_of_pod = 4;  // of a fat tree of switches with four ports

Scenario on_fat_tree(const std::string& job, const std::string& library = "rdma",
                     const std::string& placement = "2x16") {
  return scenario_of(fmt::format(
      "cluster: {{network: fat_tree, k: 4, hosts: 16, link: {{bandwidth: 10 Gbit/s, latency: 1 "
      "us}}, host: {{type: simple, cores: 8}}}}\nlibrary: {}\nplacement: {}\njob: {{{}}}\n",
      library, placement, job));
}

std::string reason(const Scenario& scenario) { return folded(scenario).not_folded; }

TEST(EqualCells, fat_tree_cells_are_its_pods) {
  for (const char* algorithm : {"ring", "ring_sendrecv", "ring_waitall"})
    for (const char* library : {"openmpi_tcp", "slow_tcp", "rdma", "ideal", "progress_thread"})
      for (const int each : {1, 2}) {
        SCOPED_TRACE(fmt::format("{} {} {}", algorithm, library, each));
        const Scenario scenario = on_fat_tree(
            fmt::format("collective: allreduce, algorithm: {}, bytes: 512 KiB", algorithm), library,
            fmt::format("{}x16", each));
        const Report fold = folded(scenario);
        EXPECT_EQ(fold.simulated_ranks, each * hosts_of_pod) << fold.not_folded;
        expect_same(fold, whole(scenario));
      }
}

/// Three racks of two hosts each, whose uplinks all of a rack's messages share.
Scenario in_racks(const std::string& job, const std::string& library, const std::string& bytes,
                  const std::string& more = "") {
  return scenario_of(fmt::format(
      "cluster: {{network: two_level, racks: 3, hosts_per_rack: 2, host: {{type: simple, cores: "
      "8}}, link: {{bandwidth: 10 Gbit/s, latency: 5 us}}, uplink: {{bandwidth: 10 Gbit/s, "
      "latency: 5 us}}{}}}\nlibrary: {}\nplacement: 2x6\njob: {{{}{}}}\n",
      more, library, job, bytes));
}

TEST(EqualCells, rack_cells_are_the_racks) {
  int folds = 0;
  for (const Algorithm& algorithm : declared_alike()) {
    const std::string job = job_of(algorithm);
    const std::string bytes = algorithm.collective == "barrier" ? "" : ", bytes: 240000 B";
    for (const char* library : {"openmpi_tcp", "rdma", "progress_thread"}) {
      SCOPED_TRACE(job + " " + library);
      const Scenario scenario = in_racks(job, library, bytes);
      const Report fold = folded(scenario);
      if (fold.simulated_ranks == 0) continue;
      ++folds;
      EXPECT_EQ(fold.simulated_ranks, 2 * 2);
      expect_same(fold, whole(scenario));
    }
  }
  EXPECT_GE(folds, 30);
}

TEST(EqualCells, fold_a_ring_between_hosts) {
  const Scenario scenario = on_fat_tree(
      "collective: allreduce, algorithm: two_level, bytes: 64 KiB, options: {between: ring}",
      "rdma", "4x16");
  const Report fold = folded(scenario);
  EXPECT_EQ(fold.simulated_ranks, 4 * hosts_of_pod) << fold.not_folded;
  expect_same(fold, whole(scenario));
}

TEST(EqualCells, fold_a_step_of_training) {
  const Scenario scenario = on_fat_tree(
      "collective: training, algorithm: ddp, options: {overlap: thread, exchange: ring, steps: 2, "
      "model: {records: 1000, record: 1 kB, batch: 10, step: 3 ms, layers: [{name: a, parameters: "
      "2400000, flops: 1}, {name: b, parameters: 4800000, flops: 1}]}}");
  const Report fold = folded(scenario);
  EXPECT_EQ(fold.simulated_ranks, 2 * hosts_of_pod) << fold.not_folded;
  expect_same(fold, whole(scenario));
}

// Each flow takes one of the routes that are as short, by a hash: some share a cable.
TEST(EqualCells, are_none_where_flows_share_other_links) {
  EXPECT_THAT(reason(on_fat_tree("collective: alltoall, algorithm: pairwise, bytes: 512 KiB")),
              testing::HasSubstr("go by other links, or share them with others"));
}

TEST(EqualCells, are_none_where_an_uplink_is_slower_or_switches_choose) {
  const auto why_not = [](const std::string& more) {
    return reason(
        in_racks("collective: allreduce, algorithm: ring", "rdma", ", bytes: 240000 B", more));
  };
  EXPECT_THAT(why_not(", degraded: [{link: rack1/switch->core, share: 0.5}]"),
              testing::HasSubstr("go by other links"));
  EXPECT_EQ(why_not(", routing: adaptive"), "switches choose routes by their load");
}

TEST(EqualCells, are_none_where_one_of_them_is_not_whole) {
  EXPECT_NE(
      reason(on_fat_tree("collective: allreduce, algorithm: ring, bytes: 480 KiB", "rdma", "2x15")),
      "");
}

}  // namespace
}  // namespace ringscope
