// SPDX-License-Identifier: LGPL-2.1-or-later
// Has each of several rings a way of its own out of a host, so that all NICs carry their part?
#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::rings_over_nics_test {
namespace {

constexpr double nic = 10e9;  ///< B/s, each direction
constexpr double bytes = 64 * (1 << 20);
constexpr int ranks = 8;  ///< four on each of two hosts
constexpr int nics = 4;   ///< of a host, two below each PCIe switch

Scenario rings_by_nics(int rings, const std::string& degraded = "[]") {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: 10 GB/s, latency: 1 us}}
  degraded: {}
  host:
    type: pcie_tree
    sockets: 1
    cores: 4
    switches_per_socket: 2
    gpus_per_switch: 2
    switch_uplink: {{bandwidth: 100 GB/s, latency: 1 us}}
    gpu: {{bandwidth: 100 GB/s, latency: 1 us}}
    nics: [{{switch: 0}}, {{switch: 0}}, {{switch: 1}}, {{switch: 1}}]
library: {{base: ideal, gpu: {{launch: 0 s}}, p2p: {{}}, staged: {{}}, gdr: {{}}}}
placement: {{hosts: 4-4, on: gpu}}
job: {{collective: allreduce, algorithm: parallel_rings, bytes: 64 MiB, options: {{rings: {}}}}}
)",
                                 degraded, rings));
}

/// Bytes of one ring over one link of it.
double bytes_of(int rings) { return 2.0 * (ranks - 1) / ranks * bytes / rings; }

/// Bytes that a link carried.
double carried(const Report& report, const std::string& link) {
  for (const ResourceReport& one : report.resources)
    if (one.id.place == link) return one.utilisation * report.time_s * nic;
  return 0;
}

/// Two hosts with NICs of 1 and 10 GB/s, of which the slow one is the nearer.
double seconds_by(const std::string& choice) {
  const Scenario scenario = scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: 10 GB/s, latency: 0 s}}
  host:
    type: numa
    sockets: 2
    cores: 4
    socket_link: {{bandwidth: 100 GB/s, latency: 0 s}}
    nics:
      - {{domain: 0, bandwidth: 1 GB/s, latency: 0 s}}
      - {{domain: 1, bandwidth: 10 GB/s, latency: 0 s}}
library: ideal
placement: {{hosts: 1-1, nics: {}}}
job: {{collective: allreduce, algorithm: ring, bytes: 64 MiB}}
)",
                                                    choice));
  return simulate(scenario, {}).time_s;
}

// A ring of two sends each half twice; of equal shares the slower one is the last.
TEST(NamedNics, carry_all_that_their_ranks_send) {
  EXPECT_NEAR(seconds_by("nearest"), bytes / 1e9, 1e-6);
  EXPECT_NEAR(seconds_by("all"), bytes / 2 / 1e9, 1e-6);
  EXPECT_NEAR(seconds_by("[1]"), bytes / 10e9, 1e-6);
  EXPECT_NEAR(seconds_by("[0]"), bytes / 1e9, 1e-6);
}

/// Two hosts with a GPU and four NICs of half a GB/s each.
Report by_joined(const char* joins, int mib) {
  return simulate(scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  link: {{bandwidth: 0.5 GB/s, latency: 1 us}}
  host:
    type: pcie_tree
    sockets: 1
    cores: 4
    switch_uplink: {{bandwidth: 100 GB/s, latency: 1 us}}
    gpu: {{bandwidth: 100 GB/s, latency: 1 us}}
    nics: [{{switch: 0}}, {{switch: 0}}, {{switch: 0}}, {{switch: 0}}]
    joins_nics: {}
library:
  base: cuda_pinned
  blocks:
    launch: 0 s
    generation: hopper
    LL: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
    LL128: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
    Simple: {{start: 0 s, hop: 1 us, block: 1 TB/s}}
placement: {{hosts: 1-1, on: gpu}}
job:
  collective: allreduce
  algorithm: nccl
  bytes: {} MiB
  options: {{algorithm: ring, protocol: Simple, channels: 1}}
)",
                                          joins, mib)),
                  {});
}

// A ring of two sends as many bytes as the vector has; the slices of a chunk hide its hop.
TEST(JoinedNics, carry_an_equal_part_of_each_message) {
  const auto more_s = [](const char* joins) {
    return by_joined(joins, 32).time_s - by_joined(joins, 16).time_s;
  };
  constexpr double more = 16 << 20, one = 0.5e9;
  EXPECT_NEAR(more_s("false"), more / one, 1e-9);
  EXPECT_NEAR(more_s("true"), more / (4 * one), 1e-9);
  const Report report = by_joined("true", 16);
  for (int i = 0; i < nics; ++i) {
    double out = 0;
    for (const ResourceReport& link : report.resources)
      if (link.id.place == fmt::format("host0/nic{}->switch", i))
        out = link.utilisation * report.time_s * one;
    EXPECT_NEAR(out, more / nics, 1) << i;
  }
}

std::string out_by(int i) { return fmt::format("host0/nic{}->switch", i); }

TEST(RingsOverNics, as_many_as_nics_go_out_and_in_by_each_once) {
  const Report report = simulate(rings_by_nics(nics), {});
  for (int i = 0; i < nics; ++i) {
    expect_seconds(carried(report, out_by(i)), bytes_of(nics));
    expect_seconds(carried(report, fmt::format("switch->host0/nic{}", i)), bytes_of(nics));
  }
}

TEST(RingsOverNics, fewer_leave_by_a_nic_each) {
  const Report report = simulate(rings_by_nics(nics / 2), {});
  int used = 0;
  for (int i = 0; i < nics; ++i) {
    const double out = carried(report, out_by(i));
    if (out == 0) continue;
    ++used;
    expect_seconds(out, bytes_of(nics / 2));
  }
  EXPECT_EQ(used, nics / 2);
}

TEST(RingsOverNics, each_nic_that_is_slow_holds_up_its_ring) {
  for (int i = 0; i < nics; ++i) {
    const std::string slow = fmt::format("[{{link: {}, share: 0.5}}]", out_by(i));
    EXPECT_GT(simulate(rings_by_nics(nics, slow), {}).time_s, bytes_of(nics) / (nic / 2)) << i;
  }
}

}  // namespace
}  // namespace ringscope::rings_over_nics_test
