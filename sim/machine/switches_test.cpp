// SPDX-License-Identifier: LGPL-2.1-or-later
// Do allreduces by switches that add up and copy use the links as NVLink SHARP does?
#include <fmt/core.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {
namespace {

constexpr double carried = 0.5;  ///< bytes of data in each on a link to the switch

/// GPUs with 100 GB/s each into a switch, on hosts with a NIC for each GPU.
Scenario by_switch(int gpus, int hosts, const std::string& bytes, int channels = 1,
                   const std::string& collective = "allreduce",
                   const std::string& generation = "hopper") {
  std::string nics;
  for (int i = 0; i < gpus; ++i)
    nics += "{switch: " + std::to_string(i) + ", bandwidth: 40 GB/s, latency: 0 s}, ";
  return scenario_of(fmt::format(
      R"(
cluster:
  network: star
  hosts: {1}
  link: {{bandwidth: 20 GB/s, latency: 1 us}}
  host:
    type: pcie_tree
    sockets: 1
    cores: 16
    switches_per_socket: {0}
    gpus_per_switch: 1
    switch_uplink: {{bandwidth: 40 GB/s, latency: 0 s}}
    gpu: {{bandwidth: 40 GB/s, latency: 0 s}}
    nics: [{2}]
    nvswitch: {{bandwidth: 100 GB/s, latency: 1 us}}
library:
  base: cuda_pinned
  blocks:
    launch: 0 s
    generation: {6}
    measured_on: hopper
    in_switch: 0.5
    LL: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
    LL128: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
    Simple: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
placement: {{hosts: {0}x{1}, on: gpu}}
job: {{collective: {5}, algorithm: channel_switch, bytes: {3}, options: {{channels: {4}}}}}
)",
      gpus, hosts, nics, bytes, channels, collective, generation));
}

class Switches : public SimulationTest {};

double bytes_on(const Report& report, const std::string& link, double rate) {
  for (const ResourceReport& one : report.resources)
    if (one.id.place == link) return one.utilisation * report.time_s * rate;
  ADD_FAILURE() << link << " is not among the busiest";
  return 0;
}

// The sum of three others' chunks and the three sums of the other heads come to each of four; both
// ways that is the vector once.
TEST_F(Switches, carry_the_vector_once_to_and_from_each_gpu) {
  const double bytes = 4 << 20;
  const Report report = run(by_switch(4, 1, "4 MiB"));
  for (const char* link : {"host0/gpu2->host0/nvswitch0", "host0/nvswitch0->host0/gpu2"})
    EXPECT_NEAR(bytes_on(report, link, 100e9), bytes / carried, 1e-6 * bytes) << link;
}

// NCCL's tables grant heads 0.85 of their rate on Hopper and 0.74 on Blackwell.
TEST_F(Switches, link_share_follows_the_generations_table) {
  const double bytes = 4 << 20;
  const Report report = run(by_switch(4, 1, "4 MiB", 1, "allreduce", "blackwell"));
  EXPECT_NEAR(bytes_on(report, "host0/gpu2->host0/nvswitch0", 100e9),
              bytes / (carried * 0.74 / 0.85), 1e-6 * bytes);
}

// A round of four chunks of 16 KiB: to the head, and back, each a hop of 1 us and two links of 1
// us; 48 KiB leave each GPU for the heads, and the sums that it sends and gets add a chunk each.
TEST_F(Switches, take_two_hops_for_a_short_vector) {
  const double chunk = 16384, rate = 100e9 * carried;
  EXPECT_NEAR(run(by_switch(4, 1, "64 KiB")).time_s, 2 * (1e-6 + 2e-6) + 2 * 3 * chunk / rate,
              1e-12);
}

// Each cable carries a head's share of the vector once each way.
TEST_F(Switches, send_between_hosts_what_their_heads_sum) {
  const double bytes = 16 << 20;
  const Report report = run(by_switch(2, 2, "16 MiB"));
  EXPECT_NEAR(bytes_on(report, "host0/nic1->switch", 20e9), bytes / 2, 1e-6 * bytes);
  EXPECT_NEAR(static_cast<double>(report.bytes_between_hosts), 2 * bytes, 1);
}

// A host that hands on in one tree, to its parent and two children, is a leaf of the other: of its
// heads' halves of the vector it sends half four times. Two hosts are a root and a leaf each.
TEST_F(Switches, go_through_trees_of_hosts_at_the_rate_of_a_cable) {
  const auto more_s = [](int hosts) {
    return run_again(by_switch(2, hosts, "16 MiB", 2)).time_s -
           run_again(by_switch(2, hosts, "8 MiB", 2)).time_s;
  };
  const double through_cable = (8 << 20) / 20e9;
  EXPECT_NEAR(more_s(2) / through_cable, 0.5, 1e-3);
  for (const int hosts : {4, 8, 32}) EXPECT_NEAR(more_s(hosts) / through_cable, 1, 1e-3) << hosts;
}

// Each GPU sends its quarter of an allgather once, and gets the three others'; of a reduce-scatter
// it offers three, and gets one sum.
TEST_F(Switches, copy_a_chunk_once_and_add_up_what_comes_for_one) {
  const double chunk = 1 << 20;
  const char *up = "host0/gpu2->host0/nvswitch0", *down = "host0/nvswitch0->host0/gpu2";
  const Report gathered = run_again(by_switch(4, 1, "4 MiB", 1, "allgather"));
  EXPECT_NEAR(bytes_on(gathered, down, 100e9), 3 * chunk / carried, 1e-6 * chunk);
  const Report summed = run_again(by_switch(4, 1, "4 MiB", 1, "reduce_scatter"));
  EXPECT_NEAR(bytes_on(summed, up, 100e9), 3 * chunk / carried, 1e-6 * chunk);
}

// One piece of 16 KiB: a hop, two links, and what the fuller direction carries of it three times.
TEST_F(Switches, take_one_hop_for_short_chunks) {
  const double chunk = 16384, rate = 100e9 * carried;
  for (const char* collective : {"allgather", "reduce_scatter"})
    EXPECT_NEAR(run_again(by_switch(4, 1, "64 KiB", 1, collective)).time_s,
                1e-6 + 2e-6 + 3 * chunk / rate, 1e-12)
        << collective;
}

}  // namespace
}  // namespace ringscope
