// SPDX-License-Identifier: LGPL-2.1-or-later
// Is what is told beforehand what will be, and is too much refused with what to lower?
#include "scenarios/question/estimate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::estimate_test {
namespace {

Scenario read(const std::vector<std::string>& changes) {
  constexpr const char* text = R"(
question: How long?
cluster: star64
library: openmpi_tcp
placement: 1x8
job: {collective: allreduce, algorithm: ring, bytes: 4 MiB}
)";
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  const auto cases = case_trees(Value::from_text("x.yaml", text), "x", overrides);
  return read_tree(cases.at(0).tree, "x").at(0);
}

// A ring of P ranks sends 2 (P - 1) messages from each.
TEST(Estimate, counts_the_messages_of_all_repetitions) {
  const Estimate estimate = estimate_of(read({"job.repetitions=10"}), false);
  EXPECT_EQ(estimate.ranks, 8U);
  EXPECT_EQ(estimate.messages, 10 * 8 * 2 * 7);
  EXPECT_EQ(in_words(estimate), "8 ranks that send 1120 messages");
}

// A repetition that stands for all 10 sends 2 (P - 1) messages from each rank.
TEST(Estimate, counts_nothing_of_repetitions_that_are_not_simulated) {
  const Scenario scenario = read({"job.repetitions=10"});
  const Estimate all = estimate_of(scenario, false), one = estimate_of(scenario, false, {8, 1});
  EXPECT_EQ(one.messages, 8 * 2 * 7);
  EXPECT_EQ(one.memory_bytes, all.memory_bytes);
  const double start_up = estimate_of(scenario, false, {8, 0}).seconds;
  EXPECT_NEAR(all.seconds - start_up, 10 * (one.seconds - start_up), 1e-12 * all.seconds);
}

// 2.9 GB were measured for 400,000 ranks; all-to-all has something of each pair.
TEST(Estimate, memory_grows_with_ranks_and_with_pairs_that_talk) {
  const double few = estimate_of(read({}), false).memory_bytes;
  const double many = estimate_of(read({"placement=8x64"}), false).memory_bytes;
  EXPECT_NEAR((many - few) / (512 - 8), 7250, 0.1 * 7250);
  const Scenario all = read({"placement=8x64", "job.collective=alltoall", "job.algorithm=posted"});
  EXPECT_GT(estimate_of(all, false).memory_bytes, many + 512.0 * 512 * 1000);
}

// Flows of one NIC alone, or all flows of the network, have a new rate when one of them ends.
TEST(Estimate, a_message_costs_more_the_more_are_tied_to_it) {
  const auto seconds = [](std::vector<std::string> changes) {
    changes.insert(changes.end(), {"placement=1x64", "job.bytes=64 MiB"});
    const Estimate estimate = estimate_of(read(changes), false);
    return estimate.seconds / estimate.messages;
  };
  const std::string fat_tree_of_64 =
      "cluster={network: fat_tree, k: 8, hosts: 64, link: {bandwidth: 1 Gbit/s, latency: 1 us}, "
      "host: {type: simple}}";
  const std::string posted = "job={collective: alltoall, algorithm: posted}";
  const double ring = seconds({}),
               jitter = seconds({"library={base: rdma, network: {jitter: 1 us}}"});
  const double star = seconds({posted}), fat_tree = seconds({posted, fat_tree_of_64});
  EXPECT_GT(jitter, 2 * ring);
  EXPECT_GT(star, jitter);
  EXPECT_GT(fat_tree, 2 * star);
}

TEST(Estimate, simgrid_takes_longer) {
  EXPECT_GT(estimate_of(read({}), true).seconds, 10 * estimate_of(read({}), false).seconds);
}

TEST(Estimate, names_what_makes_it_large) {
  EXPECT_EQ(what_to_lower(read({}), 1), "the ranks of 'placement'");
  const Scenario segmented =
      read({"job.repetitions=2", "job.algorithm=ring_segmented", "job.options.segment=1 KiB"});
  EXPECT_EQ(what_to_lower(segmented, 2),
            "'job.repetitions', the ranks of 'placement', or raise 'job.options.segment'");
  EXPECT_EQ(what_to_lower(segmented, 1),
            "the ranks of 'placement', or raise 'job.options.segment'");
}

TEST(Estimate, memory_that_will_not_be_there_is_bad_input) {
  const Scenario scenario = read({"placement=8x64"});
  const Estimate estimate = {.ranks = 512, .messages = 523264, .memory_bytes = 3e9, .seconds = 1};
  EXPECT_EQ(complaint_of([&] { require_memory(scenario, estimate, 4e9); }), "");
  EXPECT_EQ(
      complaint_of([&] { require_memory(scenario, estimate, 1e9); }),
      "x: 512 ranks that send 523264 messages need some 3 GB of memory, and 1 GB are free: lower "
      "the ranks of 'placement'");
}

TEST(Estimate, the_system_says_what_is_free) {
  EXPECT_GT(free_memory_bytes(), 1e6);
  EXPECT_LT(free_memory_bytes(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ringscope::estimate_test
