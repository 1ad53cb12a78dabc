// SPDX-License-Identifier: LGPL-2.1-or-later
// Do messages go by the ways that the cluster's routing chooses?
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sim/tests/scenario_for_test.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::chosen_routes_test {
namespace {

constexpr double bandwidth = 1e9;
constexpr double message = 10e6;
constexpr double one_message = message / bandwidth;
constexpr double latency = 100e-6;  ///< of a cable between groups

/// Two racks of four hosts, four uplinks each: the four messages of a job can have one each.
Scenario racks(const std::string& routing, int seed) {
  return scenario_of(fmt::format(R"(
cluster:
  network: two_level
  racks: 2
  hosts_per_rack: 4
  uplinks: 4
  link: {{bandwidth: 1 GB/s, latency: 0 s}}
  uplink: {{bandwidth: 1 GB/s}}
  host: {{type: simple}}
  hash_seed: {}
  {}
library: ideal
placement: 1x8
job: {{collective: alltoall, algorithm: pairwise, bytes: 10 MB}}
)",
                                 seed, routing));
}

/// Four groups of three routers with a host each. Only cables between groups limit and take time;
/// every two groups have one.
Scenario dragonfly(const std::string& routing) {
  return scenario_of(fmt::format(R"(
cluster:
  network: dragonfly
  routers: 3
  hosts_per_router: 1
  global_ports: 1
  link: {{bandwidth: unlimited, latency: 0 s}}
  global: {{bandwidth: 1 GB/s, latency: 100 us}}
  host: {{type: simple}}
  routing: {}
library: ideal
placement: 1x12
job: {{collective: alltoall, algorithm: pairwise, bytes: 10 MB}}
)",
                                 routing));
}

Task send_to(Communicator comm, Workspace work, int senders, int distance) {
  if (comm.rank() < senders) co_await comm.send(work.data, comm.rank() + distance);
  if (comm.rank() >= distance && comm.rank() < distance + senders)
    co_await comm.recv(work.data, comm.rank() - distance);
}

const Text from_rack_to_rack = [](Communicator comm, Workspace work, Options) {
  return send_to(comm, work, 4, 4);
};
const Text from_group_to_group = [](Communicator comm, Workspace work, Options) {
  return send_to(comm, work, 3, 3);
};
const Text alone = [](Communicator comm, Workspace work, Options) {
  return send_to(comm, work, 1, 3);
};

class Routed : public SimulationTest {};

// Only 24 of the 4^4 choices of an uplink give each message its own: seed 1 is not one of them.
TEST_F(Routed, by_a_hash_messages_meet_on_an_uplink) {
  EXPECT_GE(run(racks("", 1), from_rack_to_rack).time_s, 2 * one_message * (1 - 1e-9));
}

TEST_F(Routed, adaptively_each_message_has_an_uplink_of_its_own) {
  expect_seconds(run(racks("routing: adaptive", 1), from_rack_to_rack).time_s, one_message);
}

std::string ring_of(const std::string& network, const std::string& host, const std::string& more) {
  return fmt::format(R"(
cluster:
  network: {}
  link: {{bandwidth: 2 GB/s, latency: 0.7 us}}
  host: {}
{}
job: {{collective: allreduce, algorithm: ring, bytes: 100 kB, repetitions: 3}}
)",
                     network, host, more);
}

/// Eager messages in pieces; times whose sums are rounded.
const std::string pieces = R"(
cluster:
  network: star
  hosts: 3
  link: {bandwidth: 10 GB/s, latency: 0.10561278739383698 us}
  host: {type: simple, cores: 8}
library:
  base: openmpi_tcp
  reduce_cost: 0.2 ns/B
  copy_cost: 2 ns/B
  network:
    latency: 3 us
    send_overhead: 0.6999165156339022 us
    recv_overhead: 1.8654748700699076 us
    send_cost: 0 ns/B
    recv_cost: 0.2 ns/B
    unexpected_cost: 0.04 ns/B
    eager_limit: unlimited
    eager_piece: 1 B
placement: 1x3
job: {collective: allreduce, algorithm: ring, bytes: 31 B, repetitions: 4}
)";

const std::string four_nics = R"({
    type: pcie_tree, cores: 8, sockets: 2, socket_link: {bandwidth: 2 GB/s, latency: 5 us},
    switches_per_socket: 2, switch_uplink: {bandwidth: 266 MB/s, latency: 0.3 us},
    gpus_per_switch: 2, gpu: {bandwidth: 2 GB/s, latency: 0.8 us}, gpudirect: false,
    nics: [{switch: 0, bandwidth: 10 GB/s, latency: 0 s},
           {switch: 1, bandwidth: 6.3 GB/s, latency: 10 us},
           {switch: 2, bandwidth: 2.1 GB/s, latency: 0.7 us},
           {switch: 3, bandwidth: 1 GB/s, latency: 0 s}]})";

// A repetition leaves behind the ways of its last data, by which the next control message would
// go, and the time that engines had to spare for pieces of eager messages.
TEST(Repetitions, begin_as_the_first_one_did) {
  const std::string gpus = "library: cuda_pinned\nplacement: {hosts: 1-1-1-1-1-1, on: gpu}\n";
  std::vector<std::string> texts = {
      pieces, ring_of("fat_tree\n  k: 4\n  routing: adaptive", four_nics, gpus)};
  for (const char* const routing : {"ugal", "valiant"})
    texts.push_back(ring_of(fmt::format("dragonfly\n  routers: 3\n  hosts_per_router: 1\n"
                                        "  global_ports: 1\n  routing: {}\n"
                                        "  global: {{bandwidth: 1 GB/s, latency: 13 us}}",
                                        routing),
                            "{type: simple}", "library: rdma\nplacement: 1x11\n"));
  RunOptions options;
  options.skip = false;
  for (const std::string& text : texts) {
    const Report report = simulate(scenario_of(text), options);
    EXPECT_THAT(report.times_s, testing::Each(report.times_s.front())) << text;
  }
}

// All three share the one cable between the two groups.
TEST_F(Routed, shortest_ways_of_a_dragonfly_share_the_cable_between_two_groups) {
  expect_seconds(run(dragonfly("hash"), from_group_to_group).time_s, latency + 3 * one_message);
}

// The first two find the cable as good as the detour, of twice as many cables; the third finds
// 3 / B against 2 / B, and is alone there.
TEST_F(Routed, by_ugal_a_message_leaves_the_cable_that_two_others_share) {
  const Report report = run(dragonfly("ugal"), from_group_to_group);
  expect_seconds(report.time_s, latency + 2 * one_message);
  expect_seconds(finish(report, 5), 2 * latency + one_message);
}

TEST_F(Routed, valiants_detour_passes_two_cables_between_groups) {
  expect_seconds(run(dragonfly("valiant"), alone).time_s, 2 * latency + one_message);
}

// An uplink with a third of the bandwidth is as good, idle, as one that two messages share. Which
// of them a message takes must not hang on how the last digit of the bandwidth is rounded.
TEST(RoutedAdaptively, by_equal_loads_goes_the_same_way_whatever_the_bandwidth) {
  const auto seconds_at_one = [](double gigabytes) {
    const Scenario scenario = scenario_of(fmt::format(R"(
cluster:
  network: two_level
  racks: 2
  hosts_per_rack: 4
  uplinks: 2
  link: {{bandwidth: unlimited, latency: 0 s}}
  uplink: {{bandwidth: {} GB/s}}
  host: {{type: simple}}
  routing: adaptive
  degraded: [{{link: "rack0/switch->core#1", share: 0.3333333333333333}}]
library: ideal
placement: 1x8
job: {{collective: alltoall, algorithm: pairwise, bytes: 10 MB}}
)",
                                                      gigabytes));
    return simulate(scenario, {}).time_s * gigabytes;
  };
  const double seconds = seconds_at_one(1);
  for (const double gigabytes : {1.1, 1.3, 1.7, 2.3, 3.0, 3.1, 5.9, 7.0, 7.7, 10.0})
    expect_seconds(seconds_at_one(gigabytes), seconds);
}

/// Seconds of an alltoall on a dragonfly, all rates `faster` times as high and all times as much
/// shorter.
double seconds_of_alltoall(const std::string& routing, double faster) {
  const auto rate = [&](double value) { return fmt::format("{} B/s", value * faster); };
  const auto time = [&](double value) { return fmt::format("{} s", value / faster); };
  const Scenario scenario = scenario_of(fmt::format(
      R"(
cluster:
  network: dragonfly
  routers: 2
  hosts_per_router: 2
  global_ports: 1
  link: {{bandwidth: {}, latency: {}}}
  global: {{bandwidth: {}, latency: {}}}
  host: {{type: simple}}
  routing: {}
library:
  base: ideal
  network: {{latency: {}, send_overhead: {}, send_cost: {} s/B, eager_limit: 4 KiB}}
placement: 1x12
job: {{collective: alltoall, algorithm: pairwise, bytes: 1 MB}}
)",
      rate(1.1e9), time(0.7e-6), rate(0.7e9), time(1.3e-6), routing, time(3e-6), time(0.9e-6),
      1e-10 / faster));
  return simulate(scenario, {}).time_s * faster;
}

TEST(RoutedByLoad, takes_time_that_scales_with_all_rates_and_times) {
  for (const char* routing : {"hash", "adaptive", "valiant", "ugal"}) {
    const double seconds = seconds_of_alltoall(routing, 1);
    for (const double faster : {1.0 / 3, 3.0, 7.0})
      EXPECT_NEAR(seconds_of_alltoall(routing, faster) / seconds, 1, 1e-9) << routing << faster;
  }
}

TEST(RoutingOfACluster, is_named_or_refused) {
  EXPECT_THAT(complaint_of([] { racks("routing: adaptiv", 1); }),
              testing::AllOf(testing::HasSubstr("unknown routing 'adaptiv'"),
                             testing::HasSubstr("did you mean 'adaptive'")));
  EXPECT_THAT(complaint_of([] { racks("routing: ugal", 1); }),
              testing::HasSubstr("routing 'ugal' takes detours: expected a network with detours"));
}

}  // namespace
}  // namespace ringscope::chosen_routes_test
