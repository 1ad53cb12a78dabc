// SPDX-License-Identifier: LGPL-2.1-or-later
// Which ranks are alike, why others are not, and what it takes for chunks that are not of one size?
#include "sim/alike/alike_ranks.hpp"
#include "sim/alike/script.hpp"

#include "sim/alike/fold_for_test.hpp"

namespace ringscope::alike_ranks_test {
namespace {

// --- what an algorithm declares

class DeclaredAlike : public testing::TestWithParam<const char*> {};

TEST_P(DeclaredAlike, programs_of_all_hosts_are_that_of_the_first_moved_on) {
  int declared = 0;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.alike == nullptr || algorithm.one_host || algorithm.collective == "training")
      continue;
    const std::string bytes = algorithm.collective == "barrier" ? "" : ", bytes: 48000 B";
    const Scenario scenario = scenario_of(
        fmt::format("{}library: ideal\nplacement: {}\njob: {{collective: {}, algorithm: {}{}}}\n",
                    star(6), GetParam(), algorithm.collective, algorithm.name, bytes));
    Options options = scenario.job.options;
    std::vector<int> hosts;
    for (const Location& where : scenario.placement.ranks) hosts.push_back(where.host);
    options.given.hosts = &hosts;
    if (!algorithm.alike(static_cast<int>(hosts.size()), 48000, options)) continue;
    ++declared;
    EXPECT_EQ(sim::unlike_programs(scenario), "") << algorithm.collective << " " << algorithm.name;
  }
  EXPECT_GE(declared, 12);
}

INSTANTIATE_TEST_SUITE_P(Places, DeclaredAlike, testing::Values("1x6", "2x6", "4x6", "8x6"));

// --- refusals

std::string why_not(const std::string& yaml) {
  const Report report = folded(scenario_of(yaml));
  EXPECT_EQ(report.simulated_ranks, 0);
  return report.not_folded;
}

std::string ring(const std::string& more = "", const std::string& bytes = "80000 B") {
  return "job: {collective: allreduce, algorithm: ring, bytes: " + bytes + more + "}\n";
}

TEST(Fold, is_refused_with_its_reason) {
  const std::string machine = star(4) + "library: ideal\n", even = "placement: 2x4\n";
  EXPECT_EQ(why_not(machine + "placement: 2-2-1-2\n" + ring()),
            "the hosts have different numbers of ranks");
  EXPECT_EQ(why_not(machine + "placement: 4\n" + ring()), "all ranks are on one host");
  EXPECT_EQ(why_not(machine + "placement: {hosts: 2x4, map_by: node}\n" + ring()),
            "the ranks of a host do not come together");
  EXPECT_EQ(
      why_not(machine + even + ring("", "80001 B")),
      "rank 2 does not do what rank 0 does, moved on: chunks of one size need 'job.bytes', or "
      "each exchange, to be a multiple of the ranks");
  EXPECT_EQ(why_not(machine + even + ring(", skew: 1 us")),
            "'skew' lets ranks start at different times");
  EXPECT_EQ(why_not(machine + even + ring(", noise: {spread: 0.1}")), "'noise' is each rank's own");
  EXPECT_EQ(why_not(machine + even +
                    "job: {collective: broadcast, algorithm: binomial, bytes: 80000 B}\n"),
            "broadcast binomial is not the same for all ranks");
  EXPECT_EQ(why_not("cluster: {network: two_level, racks: 2, hosts_per_rack: 2, host: {type: "
                    "simple, cores: 8}, link: {bandwidth: 10 Gbit/s, latency: 5 us}, uplink: "
                    "{bandwidth: 10 Gbit/s, latency: 5 us}}\nlibrary: ideal\nplacement: 2x3\n" +
                    ring()),
            "the links of host 'host2' differ from the links of 'host0': the network is more than "
            "one switch");
}

// Rank 0 hears of rank 1 first, and rank 1 of rank 0: the same move does not lead from one to the
// other.
TEST(Fold, is_refused_where_messages_of_several_hosts_come_at_one_instant) {
  const std::string gpu_host =
      "{type: pcie_tree, sockets: 1, cores: 4, switch_uplink: {bandwidth: 16 GB/s, latency: 0 s}, "
      "gpu: {bandwidth: 10 GB/s, latency: 0 s, memory_bandwidth: 300 GB/s}, nic: {switch: 0}, "
      "gpudirect: true}";
  const std::pair<std::string, std::string> machines[] = {
      {star(5) + "placement: 1x5\n", "network"},
      {star(5, gpu_host) + "placement: {hosts: 1x5, on: gpu}\n", "gdr"}};
  const std::string all = "job: {collective: alltoall, algorithm: posted, bytes: 1000 B}\n";
  const std::string none = "eager_limit: 0 B, recv_overhead: 1 us";
  for (const auto& [machine, way] : machines) {
    SCOPED_TRACE(way);
    const std::string begin = machine + "library: {base: ideal, " + way + ": {";
    const auto asked = [&](const std::string& job, const std::string& costs) {
      return begin + costs + "}}\n" + job;
    };
    EXPECT_EQ(why_not(asked(all, none)),
              "messages of several hosts come at one instant, since 'send_overhead' is 0");
    for (const std::string& alike :
         {asked(ring("", "1000 B"), none), asked(all, none + ", send_overhead: 1 us"),
          asked(all, "eager_limit: 0 B")}) {
      const Scenario scenario = scenario_of(alike);
      expect_same(folded(scenario), whole(scenario));
    }
  }
}

TEST(Fold, few_ranks_are_all_simulated_and_nothing_is_said) {
  const Report report =
      simulate(scenario_of(star(4) + "library: ideal\nplacement: 2x4\n" + ring()), {});
  EXPECT_EQ(report.simulated_ranks, 0);
  EXPECT_EQ(report.not_folded, "");
}

TEST(Fold, histories_are_of_all_ranks) {
  RunOptions options;
  options.fold_from = 2;
  options.record_spans = true;
  const Report report =
      simulate(scenario_of(star(4) + "library: ideal\nplacement: 2x4\n" + ring()), options);
  EXPECT_EQ(report.simulated_ranks, 0);
  EXPECT_EQ(report.not_folded, "the history of each rank is requested");
}

TEST(Fold, many_ranks_are_folded_unasked) {
  const Report report = simulate(
      scenario_of(star(64) + "library: openmpi_tcp\nplacement: 2x64\n" + ring("", "128000 B")), {});
  EXPECT_EQ(report.simulated_ranks, 2);
  EXPECT_EQ(report.rank_reports.size(), 128u);
}

TEST(Fold, uneven_chunks_shift_times_by_their_share) {
  for (const char* job : {"allreduce, algorithm: ring", "allreduce, algorithm: ring_segmented",
                          "allgather, algorithm: ring"})
    for (const char* library : {"openmpi_tcp", "rdma", "progress_thread"})
      for (const int bytes : {80'003, 800'007}) {
        SCOPED_TRACE(fmt::format("{} {} {}", job, library, bytes));
        const Scenario scenario =
            scenario_of(fmt::format("{}library: {}\nplacement: 2x5\njob: {{collective: {}, bytes: "
                                    "{} B}}\n",
                                    star(5), library, job, bytes));
        RunOptions options;
        options.fold_from = options.fold_uneven_from = 2;
        const Report fold = simulate(scenario, options), all = whole(scenario);
        EXPECT_EQ(fold.simulated_ranks, 2) << fold.not_folded;
        EXPECT_GT(fold.uneven, 0);
        EXPECT_LE(fold.uneven, sim::most_uneven);
        EXPECT_NEAR(fold.time_s, all.time_s, fold.uneven * all.time_s);
      }
}

TEST(Fold, uneven_buckets_of_training_shift_times_by_their_share) {
  RunOptions options;
  options.fold_from = options.fold_uneven_from = 2;
  for (const char* overlap : {"none", "thread"})
    for (const char* library : {"openmpi_tcp", "rdma"}) {
      SCOPED_TRACE(fmt::format("{} {}", overlap, library));
      const Scenario scenario =
          training("2x7", fmt::format("overlap: {}, bucket: 2 MB", overlap), library);
      const Report fold = simulate(scenario, options), all = whole(scenario);
      EXPECT_EQ(fold.simulated_ranks, 2) << fold.not_folded;
      EXPECT_GT(fold.uneven, 0);
      EXPECT_NEAR(fold.time_s, all.time_s, fold.uneven * all.time_s);
    }
}

TEST(Fold, uneven_chunks_are_alike_in_rings_alone) {
  RunOptions options;
  options.fold_from = options.fold_uneven_from = 2;
  const Report report =
      simulate(scenario_of(star(4) +
                           "library: ideal\nplacement: 2x4\njob: {collective: alltoall, algorithm: "
                           "pairwise, bytes: 80001 B}\n"),
               options);
  EXPECT_EQ(report.simulated_ranks, 0);
}

TEST(Fold, uneven_chunks_of_few_bytes_are_not_alike) {
  RunOptions options;
  options.fold_from = options.fold_uneven_from = 2;
  EXPECT_EQ(simulate(scenario_of(star(4) + "library: ideal\nplacement: 2x4\n" + ring("", "801 B")),
                     options)
                .simulated_ranks,
            0);
}

}  // namespace
}  // namespace ringscope::alike_ranks_test
