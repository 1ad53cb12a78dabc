// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the ranks of one host, simulated for all, have the times that all have when all are simulated?
#include <cctype>

#include "sim/alike/fold_for_test.hpp"

namespace ringscope::fold_test {
namespace {

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
  for (const Algorithm& algorithm : declared_alike()) {
    const std::string job = job_of(algorithm);
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

// Messages to a GPU and from one pass the same uplinks of its host, and what follows them waits
// behind the bytes that queue before these.
TEST(Fold, a_message_that_passes_a_link_for_its_receiver_too_queues_before_it_once) {
  const std::string host =
      "{type: pcie_tree, gpus_per_switch: 2, peer_access: none, iommu: true, "
      "gpu: {bandwidth: 8 GB/s, latency: 1 us}, "
      "switch_uplink: {bandwidth: 200 MB/s, latency: 20 us}, "
      "nics: [{switch: 0, bandwidth: 3 GB/s, latency: 6 us}, "
      "{switch: 1, bandwidth: 7 GB/s, latency: 1 us}]}";
  expect_folds_to(
      scenario_of(star(2, host) +
                  "library: {base: ideal, staged: {eager_limit: 64 KiB, buffer: unlimited, "
                  "driver: caller}}\n"
                  "placement: {hosts: 2-2, on: gpu}\n"
                  "job: {collective: alltoallv, algorithm: pairwise, bytes: 1 MB}\n"),
      2);
}

// Both directions of a cable share what it carries, but the first piece of a message is alone on
// each.
TEST(Fold, a_message_in_pieces_passes_the_cables_of_two_hosts) {
  expect_folds_to(
      scenario_of("cluster: {network: star, hosts: 2, host: {type: simple, cores: 1}, "
                  "link: {bandwidth: 2 GB/s, latency: 10 us, both: 2.5 GB/s}}\n"
                  "library: {base: ideal, network: {recv_cost: 2 ns/B, eager_limit: unlimited, "
                  "eager_piece: 512 B}}\n"
                  "placement: 1x2\n"
                  "job: {collective: allreduce, algorithm: ring, bytes: 4 KiB}\n"),
      1);
}

/// An allreduce by NCCL's rings on hosts with eight H100: every other host swaps rings of a pair.
Scenario rings_on_h100(int hosts, const std::string& bytes) {
  return scenario_of(
      fmt::format("cluster: {{base: h100_nvswitch, hosts: {}}}\nlibrary: nccl_h100\n"
                  "placement: {{hosts: 8x{}, on: gpu}}\njob: {{collective: allreduce, algorithm: "
                  "nccl, bytes: {}, options: {{algorithm: ring, protocol: Simple}}}}\n",
                  hosts, hosts, bytes));
}

TEST(Fold, rings_that_swap_nics_at_every_other_host_are_simulated_on_two_hosts) {
  expect_folds_to(rings_on_h100(4, "32 MiB"), 16);
  const Report odd = folded(rings_on_h100(3, "24 MiB"));
  EXPECT_EQ(odd.simulated_ranks, 0);
  EXPECT_EQ(odd.not_folded, "NCCL's rings leave the hosts by different NICs");
}

// 80 ranks are fewer than --fold-from, but have 16 blocks each.
TEST(Fold, many_blocks_of_few_ranks_are_folded_with_uneven_chunks_where_messages_are_many) {
  const Report even = simulate(rings_on_h100(10, "80 MiB"), {});
  EXPECT_EQ(even.simulated_ranks, 16) << even.not_folded;
  EXPECT_EQ(even.uneven, 0);
  const Report few = simulate(rings_on_h100(10, "100004 B"), {});
  EXPECT_EQ(few.simulated_ranks, 0);
  const Report many = simulate(rings_on_h100(10, "4 GiB"), {});
  EXPECT_EQ(many.simulated_ranks, 16) << many.not_folded;
  EXPECT_GE(many.messages, 1 << 18);
  EXPECT_GT(many.uneven, 0);
  EXPECT_LT(many.uneven, 1e-6);
}

// --- GPUs of a host that move to each other

/// An allreduce by the switches of hosts with H100 GPUs, and trees between hosts.
Scenario sums_on_h100(int hosts, int gpus, const std::string& bytes, const std::string& more = "") {
  return scenario_of(
      fmt::format("cluster: {{base: h100_nvswitch, hosts: {}{}}}\nlibrary: nccl_h100\n"
                  "placement: {{hosts: {}x{}, on: gpu}}\njob: {{collective: allreduce, algorithm: "
                  "nccl, bytes: {}, options: {{algorithm: nvls}}}}\n",
                  hosts, more, gpus, hosts, bytes));
}

class EqualGpus : public testing::TestWithParam<int> {};

// Among them are sizes whose last chunks are shorter.
TEST_P(EqualGpus, first_one_of_each_host_has_the_times_of_all) {
  for (const char* bytes : {"256 KiB", "1 MiB", "12 MiB"}) {
    SCOPED_TRACE(bytes);
    expect_folds_to(sums_on_h100(GetParam(), 8, bytes), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, EqualGpus, testing::Values(2, 3, 4));

TEST(Fold, four_gpus_of_each_host_are_equal) { expect_folds_to(sums_on_h100(4, 4, "8 MiB"), 4); }

TEST(Fold, ranks_simulated_by_switches_do_not_grow_with_gpus) {
  const Report report = simulate(sums_on_h100(16, 8, "1 GiB"), {});
  EXPECT_EQ(report.simulated_ranks, 16) << report.not_folded;
}

TEST(Fold, gpus_that_differ_are_all_simulated) {
  const auto simulated = [](const Scenario& scenario) { return folded(scenario).simulated_ranks; };
  // Chunks of eight heads differ by an item.
  EXPECT_EQ(simulated(sums_on_h100(2, 8, "1000004 B")), 0);
  for (const char* link : {"host0/gpu3->host0/nvswitch0", "host1/nic2->switch"})
    EXPECT_EQ(simulated(sums_on_h100(2, 8, "8 MiB",
                                     fmt::format(", degraded: [{{link: {}, share: 0.5}}]", link))),
              0)
        << link;
}

}  // namespace
}  // namespace ringscope::fold_test
