// SPDX-License-Identifier: LGPL-2.1-or-later
// Do parameters read off two pairs of GPUs give the whole published matrix?
#include "sim/machine/peer_matrix.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::peer_matrix_test {
namespace {

class Peers : public SimulationTest {};

Cluster cluster_of(const std::string& yaml) { return read_cluster(Value::from_text("test", yaml)); }

/// Four GPUs below two switches, whose uplinks are as wide as one GPU's link.
std::string box(const std::string& more) {
  return "network: star\nhosts: 1\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
         "host:\n  type: pcie_tree\n  sockets: 2\n  memory_bandwidth: 100 GB/s\n"
         "  socket_link: {bandwidth: 20 GB/s, latency: 0 s}\n"
         "  switch_uplink: {bandwidth: 10 GB/s, latency: 1 us}\n"
         "  gpus_per_switch: 2\n"
         "  gpu: {bandwidth: 10 GB/s, latency: 1 us, memory_bandwidth: 600 GB/s}\n" +
         more;
}

TEST_F(Peers, published_host_matches_within_5_and_15_percent) {
  const auto matrix = measure_peers(cluster_of("base: gtx1080ti_x4"), 0, {true}).front();
  std::ifstream file("validation/published/p2p-gtx1080ti-x4.csv");
  ASSERT_TRUE(file);
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::size_t from = 0, to = 0;
    double value = 0;
    char metric[64];
    if (std::sscanf(line.c_str(), "%63[^,],%zu,%zu,%lf", metric, &from, &to, &value) != 4) continue;
    const bool latency = std::string(metric) == "latency_us";
    // The copy inside GPU 1 was measured at less than half of the others': no parameter says why.
    if (from == to && (latency || from == 1)) continue;
    const double predicted =
        latency ? matrix.latency_s[from][to] * 1e6 : matrix.bandwidth[from][to] * 1e-9;
    EXPECT_NEAR(predicted / value, 1, latency ? 0.15 : 0.05) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 12 + 12 + 3);
}

TEST_F(Peers, below_one_switch_pass_it_and_others_are_staged) {
  const auto matrices =
      measure_peers(cluster_of(box("  peer_access: same_switch\n")), 0, {true, false});
  EXPECT_DOUBLE_EQ(matrices[0].latency_s[0][1], 2e-6);
  EXPECT_DOUBLE_EQ(matrices[0].latency_s[0][2], 4e-6);
  EXPECT_NEAR(matrices[0].both_ways[0][1], 20e9, 1);
  // Staged, both use the uplink of their switch, once up and once down each.
  EXPECT_NEAR(matrices[1].bandwidth[0][1], 10e9, 1);
  EXPECT_NEAR(matrices[1].both_ways[0][1], 10e9, 1);
}

TEST_F(Peers, copy_inside_a_device_at_the_rate_of_its_memory_reads_and_writes_counted) {
  const auto matrix = measure_peers(cluster_of(box("")), 0, {true}).front();
  EXPECT_NEAR(matrix.bandwidth[0][0], 600e9, 1);
}

TEST_F(Peers, with_an_iommu_climb_to_the_root_complex) {
  const auto matrix =
      measure_peers(cluster_of(box("  peer_access: same_switch\n  iommu: true\n")), 0, {true})
          .front();
  EXPECT_DOUBLE_EQ(matrix.latency_s[0][1], 4e-6);
  EXPECT_NEAR(matrix.both_ways[0][1], 10e9, 1);
}

TEST_F(Peers, share_one_copy_engine_for_both_directions) {
  const std::string with_engines = [](std::string yaml) {
    return yaml.replace(yaml.find("memory_bandwidth: 600"), 0,
                        "copy_engines: 1, copy_bandwidth: 10 GB/s, ");
  }(box("  peer_access: none\n"));
  const auto matrix = measure_peers(cluster_of(with_engines), 0, {true}).front();
  // GPU 0 sends by its engine and GPU 2 takes by its own; both ways each does both.
  EXPECT_NEAR(matrix.bandwidth[0][2], 10e9, 1);
  EXPECT_NEAR(matrix.both_ways[0][2], 10e9, 1);
}

}  // namespace
}  // namespace ringscope::peer_matrix_test
