// SPDX-License-Identifier: LGPL-2.1-or-later
// Do traces of programs take the time that their nodes take?
#include <filesystem>
#include <fstream>

#include "scenarios/trace/chakra_for_test.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::trace_test {
namespace {

class TracedJobs : public SimulationTest {
 protected:
  ~TracedJobs() override { std::filesystem::remove_all(folder_); }
  void write(int rank, const std::string& lines) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "t." + std::to_string(rank) + ".et", std::ios::binary)
        << chakra::trace_of(lines);
  }
  std::string files() const { return folder_ + "t"; }
  std::string folder() const { return folder_; }

 private:
  std::string folder_ = testing::TempDir() + "traced_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
};

/// Hosts on a switch; nothing but bytes and computations takes time.
Scenario on_hosts(int hosts, const std::string& trace) {
  std::string placement = "1";
  for (int i = 1; i < hosts; ++i) placement += "-1";
  return scenario_of(R"(
cluster:
  network: star
  hosts: 8
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 64}
library: {base: ideal, network: {latency: 0 s, eager_limit: 0 B, driver: nic}, progress: nic}
placement: )" + placement +
                     "\njob: {trace: " + trace + "}\n");
}

constexpr double mebibyte = 1 << 20, bandwidth = 1e9;

// 2(P-1) chunks of S/P over each link.
TEST_F(TracedJobs, single_collective_takes_its_time) {
  const Report four = run(on_hosts(4, "all_reduce_4"));
  expect_seconds(four.time_s, 2 * 3 * (mebibyte / 4) / bandwidth);
  EXPECT_EQ(four.algbw, 0);  // a trace has no vector
  ASSERT_EQ(four.trace_nodes.size(), 1u);
  EXPECT_EQ(four.trace_nodes[0].count, 4u);
}

TEST_F(TracedJobs, single_collective_on_eight_ranks_takes_its_time) {
  expect_seconds(run(on_hosts(8, "all_reduce_8")).time_s, 2 * 7 * (mebibyte / 8) / bandwidth);
}

// The same ring as messages; each of seven sums takes 7 us, one after the other.
TEST_F(TracedJobs, traced_messages_take_the_time_of_the_ring) {
  const Report report = run(on_hosts(8, "ring_8"));
  expect_seconds(report.time_s, 2 * 7 * (mebibyte / 8) / bandwidth + 7 * 7e-6);
  EXPECT_EQ(report.messages, 8u * 14);
}

// 1 MB each way at 1 GB/s, 1 ms, beside a computation of 5 ms that nothing waits for; then 2 ms.
TEST_F(TracedJobs, compute_while_they_communicate) {
  for (const int rank : {0, 1})
    write(rank,
          "1 COMP us=5000\n2 COLL comm_type=0 comm_size=1000000\n3 COMP us=2000 after=2,1\n"
          "4 SEND comm_size=3000000 comm_dst=" +
              std::to_string(1 - rank) +
              "\n5 RECV comm_size=3000000 comm_src=" + std::to_string(1 - rank));
  const Report report = run(on_hosts(2, files()));
  expect_seconds(report.time_s, 7e-3);
}

// Ranks 0 and 1 sum 1 MB while 2 and 3 do; then all sum 4 MB: 2(P-1)/P of it.
TEST_F(TracedJobs, run_collectives_on_groups) {
  for (int rank = 0; rank < 4; ++rank)
    write(rank, "1 COLL comm_type=0 comm_size=1000000 pg_name=" + std::to_string(1 + rank / 2) +
                    "\n2 COLL comm_type=0 comm_size=4000000 after=1");
  std::ofstream(folder() + "comm_group.json") << R"({"1": [0, 1], "2": [2, 3]})";
  expect_seconds(run(on_hosts(4, files())).time_s, 1e6 / bandwidth + 1.5 * 4e6 / bandwidth);
}

// A host's thread and a stream take their time beside each other.
TEST_F(TracedJobs, pass_the_time_of_the_host_beside_the_streams) {
  for (const int rank : {0, 1})
    write(rank,
          "1 COMP us=4000 is_cpu_op=true tid=1\n2 COMP us=1000 is_cpu_op=true tid=2\n"
          "3 COMP us=3000 is_cpu_op=false tid=7 after=2\n"
          "4 COMP us=2000 is_cpu_op=false tid=7 after=2");
  expect_seconds(run(on_hosts(2, files())).time_s, 6e-3);
}

// A node's caller, and what it needs: ASTRA-sim's feeder up to version 2 waits for the second, that
// of version 3 for both.
TEST_F(TracedJobs, wait_for_callers_only_where_they_are_told_to) {
  for (const int rank : {0, 1})
    write(rank,
          "1 COMP us=3000 is_cpu_op=true tid=1\n2 COMP us=1000 is_cpu_op=false tid=7\n"
          "3 COMP us=2000 is_cpu_op=false tid=7 after=2 called_by=1");
  expect_seconds(simulate(on_hosts(2, files()), {}).time_s, 3e-3);
  expect_seconds(run(on_hosts(2, "{files: " + files() + ", ctrl_deps: true}")).time_s, 5e-3);
}

TEST_F(TracedJobs, missing_collective_call_is_reported_with_the_waiting_rank) {
  write(0, "1 COMP us=1000\n2 COLL comm_type=0 comm_size=1000000 after=1 tid=3");
  write(1, "1 COMP us=1000");
  try {
    simulate(on_hosts(2, files()), {});
    FAIL() << "this cannot end";
  } catch (const DeadlockError& error) {
    EXPECT_STREQ(error.what(),
                 "deadlock at 1 ms: rank 0 waits for rank 1 to receive 500 kB (messages/t, all "
                 "ranks: reduce-scatter, step 0, thread 1)\n"
                 "messages of more than 0 B on the network (unlimited in shared memory) wait for "
                 "their receiver: the eager limits of library 'ideal*'");
  }
}

}  // namespace
}  // namespace ringscope::trace_test
