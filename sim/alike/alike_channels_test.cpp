// SPDX-License-Identifier: LGPL-2.1-or-later
// Do channels that stand for others give the times that all have when all are simulated?
#include "sim/alike/alike_ranks.hpp"

#include "sim/alike/fold_for_test.hpp"

namespace ringscope::alike_channels_test {
namespace {

Scenario on_gpus(const std::string& cluster, const std::string& placement,
                 const std::string& collective, const std::string& bytes,
                 const std::string& options = "{}") {
  return scenario_of(
      fmt::format("cluster: {}\nlibrary: nccl_a100\nplacement: {{hosts: {}, on: gpu}}\n"
                  "job: {{collective: {}, algorithm: nccl, bytes: {}, options: {}}}\n",
                  cluster, placement, collective, bytes, options));
}

/// How many channels each one stands for.
std::vector<int> stands_for(const Scenario& scenario) {
  const auto kernel = sim::make_kernel("fluid");
  sim::Ledger ledger(*kernel);
  sim::Machine machine(scenario, ledger);
  std::vector<int> hosts;
  for (const Location& where : scenario.placement.ranks) hosts.push_back(where.host);
  Options options = scenario.job.options;
  options.given.hosts = &hosts;
  const auto fold = sim::alike_channels(scenario, options, machine, ledger);
  if (fold) return fold->stands_for;
  return {};
}

void expect_same(const Scenario& scenario) {
  RunOptions folding;
  folding.fold_from = never_fold;
  const Report fold = simulate(scenario, folding), all = whole(scenario);
  const double within = close * all.time_s;
  EXPECT_NEAR(fold.time_s, all.time_s, within);
  EXPECT_EQ(fold.messages, all.messages);
  EXPECT_EQ(fold.bytes_on_wire, all.bytes_on_wire);
  EXPECT_EQ(fold.bytes_between_hosts, all.bytes_between_hosts);
  ASSERT_EQ(fold.rank_reports.size(), all.rank_reports.size());
  for (std::size_t r = 0; r < all.rank_reports.size(); ++r) {
    const RankReport &one = fold.rank_reports[r], &other = all.rank_reports[r];
    EXPECT_NEAR(one.finish_s, other.finish_s, within) << "rank " << r;
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      EXPECT_NEAR(one.seconds[i], other.seconds[i], within) << r << " " << activity_names[i];
  }
  ASSERT_EQ(fold.phases.size(), all.phases.size());
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    EXPECT_NEAR(fold.phases[i].start_s, all.phases[i].start_s, within);
    EXPECT_NEAR(fold.phases[i].end_s, all.phases[i].end_s, within);
  }
  ASSERT_EQ(fold.resources.size(), all.resources.size());
  for (std::size_t i = 0; i < all.resources.size(); ++i) {
    EXPECT_EQ(fold.resources[i].kind, all.resources[i].kind);
    EXPECT_NEAR(fold.resources[i].utilisation, all.resources[i].utilisation, close);
  }
}

// 2^30 B are 65,536 cells of 16 KiB: 23 channels have 2,731 of them, and the last one the rest.
TEST(AlikeChannels, eight_gpus_on_nvswitch_fold_all_channels_but_the_last) {
  std::vector<int> expected(24, 0);
  expected.front() = 23;
  expected.back() = 1;
  EXPECT_EQ(stands_for(on_gpus("a100_nvswitch", "8", "allreduce", "1 GiB")), expected);
}

TEST(AlikeChannels, stand_for_those_of_rings) {
  for (const char* bytes : {"64 kB", "1 MB", "16 MiB", "1 GiB"})
    expect_same(on_gpus("a100_nvswitch", "8", "allreduce", bytes));
  for (const char* collective : {"allgather", "reduce_scatter", "broadcast", "reduce", "alltoall"})
    for (const char* bytes : {"1 MB", "64 MiB"})
      expect_same(on_gpus("a100_nvswitch", "8", collective, bytes));
}

TEST(AlikeChannels, stand_for_those_that_cross_hosts) {
  for (const char* algorithm : {"ring", "tree"})
    for (const char* bytes : {"1 MB", "16 MiB", "100 MB"})
      expect_same(on_gpus("{base: a100_nvswitch, hosts: 4}", "8x4", "allreduce", bytes,
                          fmt::format("{{algorithm: {}}}", algorithm)));
}

TEST(AlikeChannels, stand_for_those_that_switches_add_up) {
  for (const int hosts : {1, 3})
    for (const char* bytes : {"1 MB", "100 MB", "256 MiB"})
      expect_same(scenario_of(fmt::format(
          "cluster: {{base: h100_nvswitch, hosts: {0}}}\nlibrary: nccl_h100\n"
          "placement: {{hosts: 8x{0}, on: gpu}}\njob: {{collective: allreduce, algorithm: nccl, "
          "bytes: {1}, options: {{algorithm: nvls}}}}",
          hosts, bytes)));
}

// Each of Slingshot's messages takes the time of its rank's proxy.
TEST(AlikeChannels, share_the_proxies_of_their_ranks) {
  for (const int hosts : {2, 4})
    for (const char* algorithm : {"ring", "tree"})
      for (const char* bytes : {"64 kB", "16 MiB"})
        expect_same(scenario_of(fmt::format(
            "cluster: {{base: a100_nvswitch, hosts: {0}}}\n"
            "library: {{base: nccl_a100, transport: slingshot}}\n"
            "placement: {{hosts: 8x{0}, on: gpu}}\njob: {{collective: allreduce, algorithm: nccl, "
            "bytes: {1}, options: {{algorithm: {2}}}}}",
            hosts, bytes, algorithm)));
}

// Each pair of a hybrid cube mesh has one or two NVLinks: no two of its rings are alike.
TEST(AlikeChannels, are_none_where_their_links_are_not_used_alike) {
  expect_same(on_gpus("dgx1v", "8", "allreduce", "4 MB"));
  expect_same(on_gpus("a100_nvswitch", "5", "allreduce", "4 MB"));
  expect_same(
      on_gpus("{base: a100_nvswitch, degraded: [{link: host0/gpu3->host0/nvswitch0, share: "
              "0.5}]}",
              "8", "allreduce", "4 MB"));
}

}  // namespace
}  // namespace ringscope::alike_channels_test
