// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the channels of a kernel go along the rings that NCCL's search finds, over the links that it
// counted on?
#include <fmt/core.h>

#include <fstream>
#include <set>
#include <span>
#include <string>

#include "nccl/search/job_channels.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::searched_rings_test {
namespace {

using Order = Table<int>;

constexpr double MiB = 1 << 20;
constexpr double launch = 5e-6, start = 3e-6, hop = 2e-6, nvlink_latency = 500e-9;

/// `bytes` on these GPUs of a cluster, by `channels` of Simple, whose blocks limit nothing.
Scenario rings_of(const std::string& cluster, const std::string& placement, int channels,
                  double bytes, const std::string& algorithm = "nccl",
                  const std::string& more = "") {
  return scenario_of(fmt::format(
      R"(
cluster: {0}
library:
  base: cuda_pinned
  blocks:
    launch: 5 us
    generation: volta
    LL: {{start: 3 us, hop: 2 us, block: 1000 GB/s}}
    LL128: {{start: 3 us, hop: 2 us, block: 1000 GB/s}}
    Simple: {{start: 3 us, hop: 2 us, block: 1000 GB/s}}
placement: {1}
job:
  collective: allreduce
  algorithm: {4}
  bytes: {3:.0f} B
  options: {{{5}protocol: Simple, channels: {2}}}
{6}
)",
      cluster, placement, channels, bytes, algorithm,
      algorithm == "nccl" ? "algorithm: ring, " : "", more));
}

/// The links that carried anything, apart from those between two parts of the given names.
std::set<std::string> links_other_than(const Report& report, const std::string& name) {
  std::set<std::string> others;
  for (const ResourceReport& one : report.resources) {
    if (one.kind != ResourceKind::link) continue;
    const std::string& place = one.id.place;
    const auto arrow = place.find("->");
    const bool expected = place.find(name) < arrow && place.find(name, arrow) != std::string::npos;
    if (!expected) others.insert(place);
  }
  return others;
}

class SearchedRings : public SimulationTest {};

// The search finds six rings, each opened twice: four channels along 0 3 2 1 5 6 7 4, four along
// its reverse, all on links of 50 GB/s; and two along each of two rings, which are each other's
// reverse, on links of 25 GB/s. So each channel has 12.5 GB/s, whatever its ring: a bus bandwidth
// of 150 GB/s.
TEST_F(SearchedRings, dgx1v_rings_fill_only_its_nvlinks) {
  const Scenario scenario = rings_of("dgx1v", "{hosts: 8, on: gpu}", 12, 12 * MiB);
  EXPECT_EQ(scenario.job.rings->rings[0], (Order{0, 3, 2, 1, 5, 6, 7, 4}));
  const Report report = run(scenario);
  const double chunk = MiB / 8, rate = 12.5e9;
  EXPECT_NEAR(report.time_s, launch + start + 14 * (hop + nvlink_latency + chunk / rate), 1e-10);
  EXPECT_TRUE(links_other_than(report, "/gpu").empty())
      << *links_other_than(report, "/gpu").begin();
}

// In the order of the ranks GPU 3 sends to GPU 4, which no NVLink joins.
TEST_F(SearchedRings, are_those_of_channel_rings_too) {
  const Report report =
      run(rings_of("dgx1v", "{hosts: 8, on: gpu}", 12, 12 * MiB, "channel_rings"));
  EXPECT_TRUE(links_other_than(report, "/gpu").empty());
}

// GPUs 0, 1, 4 and 5 in another order: of 0-1, 0-4, 1-5 and 4-5 two have two NVLinks and two have
// one, so one ring and its reverse have 20 GB/s by NCCL's count, and nothing more.
TEST_F(SearchedRings, rings_of_a_subset_are_independent_of_rank_order) {
  const Scenario scenario = rings_of(
      "dgx1v", "[{host: 0, gpu: 5}, {host: 0, gpu: 0}, {host: 0, gpu: 4}, {host: 0, gpu: 1}]", 4,
      4 * MiB);
  const Table<Order> there_and_back = {{0, 2, 1, 3}, {0, 3, 1, 2}};
  for (const Order& ring : scenario.job.rings->rings)
    EXPECT_TRUE(ring == there_and_back[0] || ring == there_and_back[1]);
  EXPECT_TRUE(links_other_than(run(scenario), "/gpu").empty());
}

TEST_F(SearchedRings, are_none_where_ranks_share_a_gpu_or_have_none) {
  for (const char* where : {"[{host: 0, gpu: 0}, {host: 0, gpu: 0}]", "{hosts: 2, on: core}"})
    EXPECT_EQ(rings_of("dgx1v", where, 1, MiB).job.rings, nullptr) << where;
}

// Ring c comes into a host and leaves it by NIC c: each cable carries the 30 chunks of one ring,
// and so the ten busiest links are as busy as each other. Behind them a report has the busiest one
// inside a host.
TEST_F(SearchedRings, go_from_host_to_host_by_a_nic_each) {
  const Report report = run(rings_of("a100_nvswitch", "{hosts: 8-8, on: gpu}", 8, 8 * MiB));
  const double goodput = report.resources.front().utilisation * report.time_s * 25e9;
  EXPECT_NEAR(goodput, 30 * MiB / 16, 0.1 * goodput);
  for (const ResourceReport& one : std::span(report.resources).first(10)) {
    EXPECT_NE(one.id.place.find("nic"), std::string::npos) << one.id.place;
    EXPECT_NEAR(one.utilisation, report.resources.front().utilisation, 1e-9) << one.id.place;
  }
}

// GPU 0 and the NIC are below one switch, GPU 1 is below the other: what it sends to the next host
// goes by NVLink to GPU 0 (PXN), in place of the link between the sockets.
TEST_F(SearchedRings, leave_a_far_gpu_by_the_one_that_is_near_the_nic) {
  const Scenario scenario = rings_of(
      "{base: h100x4_nvlink, hosts: 2, host: {nics: [{switch: 0, bandwidth: 63 GB/s}]}}",
      "[{host: 0, gpu: 0}, {host: 0, gpu: 3}, {host: 1, gpu: 0}, {host: 1, gpu: 3}]", 2, 2 * MiB);
  ASSERT_EQ(scenario.job.rings->rings[0], (Order{0, 1, 2, 3}));
  EXPECT_EQ(scenario.job.rings->nics[0][1], (nccl::ChannelNics{.in = -1, .out = 0, .relay = 0}));
  const Report report = run(scenario);
  for (const ResourceReport& one : report.resources)
    EXPECT_EQ(one.id.place.find("numa"), std::string::npos) << one.id.place;
}

// Ranks 0, 2 and 3 are leaves below rank 1, whatever the ring of the same log.
TEST_F(SearchedRings, logged_rings_have_the_logged_trees) {
  const std::string path = testing::TempDir() + "trees.log";
  std::ofstream(path) << "NCCL INFO Channel 00/01 : 0 1 2 3\n"
                         "NCCL INFO Trees [0] -1/-1/-1->0->1\n"
                         "NCCL INFO Trees [0] 0/2/3->1->-1\n"
                         "NCCL INFO Trees [0] -1/-1/-1->2->1\n"
                         "NCCL INFO Trees [0] -1/-1/-1->3->1\n";
  const auto links = [&](const std::string& rings) {
    std::set<std::string> used;
    const Report report = simulate(
        rings_of("a100x4_nvlink", "{hosts: 4, on: gpu}", 1, MiB, "channel_trees", rings), {});
    for (const ResourceReport& one : report.resources)
      if (one.kind == ResourceKind::link) used.insert(one.id.place);
    return used;
  };
  const auto between = [](const std::string& a, const std::string& b) {
    return "host0/gpu" + a + "->host0/gpu" + b;
  };
  const std::set<std::string> star = links("  rings: " + path);
  EXPECT_EQ(star, (std::set{between("0", "1"), between("1", "0"), between("1", "2"),
                            between("2", "1"), between("1", "3"), between("3", "1")}));
  EXPECT_NE(links(""), star);
}

}  // namespace
}  // namespace ringscope::searched_rings_test
