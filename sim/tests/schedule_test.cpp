// SPDX-License-Identifier: LGPL-2.1-or-later
// Do schedules from files take the time that their steps take?
#include <fmt/format.h>

#include <fstream>

#include "scenarios/answer/formats/messages.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::schedule_test {
namespace {

class Schedules : public SimulationTest {};

/// Four hosts on a switch; nothing but bytes takes time.
Scenario on_hosts(const std::string& placement, const std::string& job) {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 4
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 64}
library: ideal
placement: )" + placement +
                     "\njob: " + job + "\n");
}

// Each rank sends and receives half of the vector twice, at once: S / B, as the ring.
TEST_F(Schedules, ring_schedule_takes_the_time_of_the_ring) {
  const Report file = run(on_hosts("1-1", "{schedule: ring_2.xml, bytes: 1 MB}"));
  expect_seconds(file.time_s, 1e6 / 1e9);
  EXPECT_EQ(file.algorithm, "ring_2");
  const Report ring =
      simulate(on_hosts("1-1", "{collective: allreduce, algorithm: ring, bytes: 1 MB}"), {});
  expect_seconds(file.time_s, ring.time_s);
}

// Two chunks through a chain of four: the first arrives after three links, the second one behind
// it.
TEST_F(Schedules, chain_broadcast_takes_links_plus_one_chunk) {
  expect_seconds(run(on_hosts("1-1-1-1", "{schedule: broadcast_4.xml, bytes: 200 kB}")).time_s,
                 (3 + 1) * 1e5 / 1e9);
}

TEST_F(Schedules, chain_reduce_takes_links_plus_one_chunk) {
  expect_seconds(run(on_hosts("1-1-1-1", "{schedule: reduce_4.xml, bytes: 200 kB}")).time_s,
                 (3 + 1) * 1e5 / 1e9);
}

// Each rank receives what the three others have: 12 of 16 chunks, of which each link carries no
// more at once than it can.
TEST_F(Schedules, allgather_is_bounded_by_the_links) {
  const Report report = run(on_hosts("1-1-1-1", "{schedule: ag_hier_4_LL.xml, bytes: 1.6 MB}"));
  EXPECT_GE(report.time_s, 12 * 1e5 / 1e9 * (1 - 1e-9));
  EXPECT_LE(report.time_s, 2 * 12 * 1e5 / 1e9);
}

// A plan of two ranks: half of the vector goes over, is summed there, and comes back as the sum.
TEST_F(Schedules, packets_take_the_time_of_their_messages) {
  const Report report = run(on_hosts("1-1", "{schedule: allreduce_packet.json, bytes: 1 MB}"));
  expect_seconds(report.time_s, 1e6 / 1e9);
}

// Half of the vector each way, the second after the first.
TEST_F(Schedules, by_channels_take_what_is_put) {
  expect_seconds(run(on_hosts("1-1", "{schedule: put_2.json, bytes: 1 MB}")).time_s, 1e6 / 1e9);
}

// Half of the vector each way, at once.
TEST_F(Schedules, by_channels_take_what_is_got) {
  expect_seconds(run(on_hosts("1-1", "{schedule: get_2.json, bytes: 1 MB}")).time_s, 5e5 / 1e9);
}

// 1000 ns, 1024 bytes at a byte a nanosecond, 500 ns, and 1024 bytes back.
TEST_F(Schedules, in_goal_calculate_and_wait_as_they_require) {
  const Report report = run(on_hosts("1-1", "{schedule: ping_pong.goal}"));
  expect_seconds(report.time_s, (1000 + 1024 + 500 + 1024) * 1e-9);
}

// Rank 31 hears from 15, from 7, from 3, from 1, from 0: five messages of two links each.
TEST_F(Schedules, in_goal_of_a_tree_take_its_depth) {
  const Report report = run(scenario_of(R"(
cluster:
  network: star
  hosts: 32
  link: {bandwidth: 100 GB/s, latency: 10 us}
  host: {type: simple, cores: 1}
library: ideal
placement: [)" + [] {
    std::string all;
    for (int host = 0; host < 32; ++host) all += "{host: " + std::to_string(host) + "}, ";
    return all;
  }() + "]\njob: {schedule: binary_tree_32.goal}\n"));
  EXPECT_NEAR(report.time_s, 5 * 2 * 10e-6, 1e-9);
}

/// The ring of six ranks on three hosts.
Scenario ring(const std::string& job) {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 3
  link: {bandwidth: 10 Gbit/s, latency: 5 us}
  host: {type: simple, cores: 8}
library: openmpi_tcp
placement: 3-2-1
job: )" + job + "\n");
}

// Calculations are whole nanoseconds: one for each of the P-1 sums that a rank does in a row.
TEST_F(Schedules, in_goal_written_and_read_again_take_the_same_time) {
  const std::string file = testing::TempDir() + "ring_of_6.goal";
  for (const char* bytes : {"6 kB", "1 MiB"}) {
    const Scenario direct =
        ring("{collective: allreduce, algorithm: ring, bytes: " + std::string(bytes) + "}");
    std::ofstream(file) << to_goal(messages_of(direct), "a ring");
    const Report before = simulate(direct, {});
    const Report after = simulate(ring("{schedule: " + file + "}"), {});
    EXPECT_NEAR(after.time_s, before.time_s, 5 * 0.5e-9 + 1e-9 * before.time_s) << bytes;
    EXPECT_EQ(after.messages, before.messages);
  }
}

}  // namespace
}  // namespace ringscope::schedule_test
