// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a run of which periods were skipped the run that it would have been?
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "sim/insight/skipping_for_test.hpp"

namespace ringscope::steady_state_test {
namespace {

CauseSeconds by_cause(const Report& report) {
  CauseSeconds seconds{};
  for (const PathSegment& segment : report.path)
    seconds[static_cast<std::size_t>(segment.cause)] += segment.seconds;
  return seconds;
}

Scenario ring(const std::string& library, const std::string& placement, const std::string& bytes,
              const std::string& more = "algorithm: ring") {
  return scenario_of("cluster: {base: star8, hosts: 32}\nlibrary: " + library +
                     "\nplacement: " + placement + "\njob: {collective: allreduce, " + more +
                     ", bytes: " + bytes + "}");
}

using Setting = std::tuple<const char*, const char*, const char*, const char*>;
class SteadyStates : public testing::TestWithParam<Setting> {};

TEST_P(SteadyStates, are_skipped_without_a_trace) {
  const auto& [library, placement, bytes, algorithm] = GetParam();
  const Scenario scenario = ring(library, placement, bytes, algorithm);
  const Report skipped = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_GT(skipped.skipped_messages, whole.messages / 4);
  EXPECT_GT(skipped.skipped_s, 0);
  EXPECT_EQ(whole.skipped_messages, 0u);
  expect_same(skipped, whole);
  const CauseSeconds a = by_cause(skipped), b = by_cause(whole);
  for (std::size_t i = 0; i < a.size(); ++i)
    expect_near(a[i], b[i], whole.time_s, std::string(cause_names[i]));
}

// Eager and rendezvous, each driver, one and several ranks to a NIC.
INSTANTIATE_TEST_SUITE_P(
    Rings, SteadyStates,
    testing::Values(Setting{"openmpi_tcp", "1x32", "32 KiB", "algorithm: ring"},
                    Setting{"openmpi_tcp", "1x32", "32 MiB", "algorithm: ring"},
                    Setting{"slow_tcp", "1x32", "32 MiB", "algorithm: ring_sendrecv"},
                    Setting{"rdma", "1x32", "32 MiB", "algorithm: ring_waitall"},
                    Setting{"progress_thread", "1x32", "32 MiB", "algorithm: ring"},
                    Setting{"openmpi_tcp", "8x8", "64 MiB", "algorithm: ring"}));

// The ring of a bucket runs in a thread or as a non-blocking collective, while others wait for it.
// Ranks divide each bucket; hosts have one or two of them.
TEST(SteadyState, within_the_exchange_of_a_bucket_is_skipped) {
  struct Place {
    const char *placement, *library;
  };
  for (const char* strategy :
       {"ddp, options: {overlap: none", "ddp, options: {overlap: nonblocking",
        "ddp, options: {overlap: thread", "multi_worker_mirrored, options: {overlap: none"})
    for (const auto& [placement, library] :
         {Place{"1x24", "rdma"}, {"1x8-2x8", "progress_thread"}, {"4x6", "openmpi_tcp"}}) {
      SCOPED_TRACE(fmt::format("{} {} {}", strategy, placement, library));
      const Scenario scenario = scenario_of(
          fmt::format("cluster: {{base: star8, hosts: 24}}\nlibrary: {}\nplacement: {}\n"
                      "job: {{collective: training, algorithm: {}, exchange: ring, steps: 2, "
                      "model: {{records: 1000, record: 1 kB, batch: 10, step: 3 ms, layers: ["
                      "{{name: a, parameters: 2400000, flops: 1}}, "
                      "{{name: b, parameters: 4800000, flops: 1}}]}}}}}}",
                      library, placement, strategy));
      const Report skipped = with_fluid(scenario, true, never_fold);
      EXPECT_GT(skipped.skipped_messages, skipped.messages / 8);
      expect_same(skipped, with_fluid(scenario, false, never_fold));
    }
}

// Each step sends three messages more before it waits for those of the step before.
Task keep_a_queue(Communicator comm, Workspace work, Options) {
  std::array<std::array<Request, 3>, 2> last;
  for (int step : comm.phase("queue", 200).alike()) {
    for (int i = 0; i < 3; ++i)
      last[0][static_cast<std::size_t>(i)] =
          comm.rank() == 0 ? comm.isend(work.data, 1, i) : comm.irecv(work.data, 0, i);
    if (step > 0) co_await comm.wait_all(last[1]);
    std::swap(last[0], last[1]);
  }
  co_await comm.wait_all(last[1]);
}

TEST(SteadyState, with_messages_that_wait_for_their_turn_is_skipped) {
  Scenario scenario = scenario_of(
      "cluster: pair\nlibrary: {base: openmpi_tcp, network: {order: fifo}}\nplacement: 1-1\n"
      "job: {collective: pingpong, algorithm: blocking, bytes: 1 MiB}");
  Algorithm algorithm = *scenario.job.algorithm;
  algorithm.run = keep_a_queue;
  scenario.job.algorithm = &algorithm;
  const Report skipped = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_EQ(whole.messages, 600u);
  EXPECT_GT(skipped.skipped_messages, whole.messages / 2);
  expect_same(skipped, whole);
}

// Steps that fill and drain the stages are simulated, and a last round that is shorter.
TEST(SteadyState, rounds_reduced_in_switches_are_fast_forwarded) {
  for (const int hosts : {1, 4})
    for (const char* bytes : {"512 MiB", "500 MB"}) {
      SCOPED_TRACE(fmt::format("{} {}", hosts, bytes));
      const Scenario scenario = scenario_of(fmt::format(
          "cluster: {{base: h100_nvswitch, hosts: {0}}}\nlibrary: nccl_h100\n"
          "placement: {{hosts: 8x{0}, on: gpu}}\njob: {{collective: allreduce, algorithm: nccl, "
          "bytes: {1}, options: {{algorithm: nvls}}}}",
          hosts, bytes));
      const Report skipped = with_fluid(scenario, true), whole = with_fluid(scenario, false);
      EXPECT_GT(skipped.skipped_messages, 0u);
      expect_same(skipped, whole);
    }
}

TEST(SteadyState, chunks_of_different_sizes_are_all_simulated) {
  const Scenario scenario = ring("openmpi_tcp", "1x32", "32 KiB");
  Scenario uneven = scenario;
  uneven.job.bytes.count += 5;
  const Report skipped = with_fluid(uneven, true), whole = with_fluid(uneven, false);
  EXPECT_EQ(skipped.skipped_messages, 0u);
  EXPECT_EQ(skipped.time_s, whole.time_s);
}

TEST(SteadyState, nothing_is_skipped_where_chance_plays_a_part) {
  Scenario scenario = ring("openmpi_tcp", "1x32", "32 KiB");
  scenario.job.noise.spread = 0.01;
  EXPECT_EQ(with_fluid(scenario, true).skipped_messages, 0u);
}

TEST(SteadyState, beside_stragglers_is_skipped) {
  Scenario scenario = ring("openmpi_tcp", "1x32", "32 MiB");
  scenario.job.noise.slowdown = 3;
  scenario.job.noise.stragglers = {5, 17};
  const Report skipped = with_fluid(scenario, true);
  EXPECT_GT(skipped.skipped_messages, 0u);
  expect_same(skipped, with_fluid(scenario, false));
}

TEST(SteadyState, nothing_is_skipped_where_every_step_is_shown) {
  RunOptions options;
  options.kernel = "fluid";
  options.record_spans = true;
  EXPECT_EQ(simulate(ring("openmpi_tcp", "1x32", "32 KiB"), options).skipped_messages, 0u);
}

// Late starts die out; what comes back afterwards is skipped, and the repetitions after it start
// where the one before has ended.
TEST(SteadyState, late_starts_and_repetitions_are_as_without) {
  const Scenario scenario = ring("rdma", "1x32", "32 MiB", "algorithm: ring, repetitions: 3");
  const Report skipped = with_fluid(scenario, true), whole = with_fluid(scenario, false);
  EXPECT_GT(skipped.skipped_messages, 0u);
  ASSERT_EQ(skipped.times_s.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    expect_near(skipped.times_s[i], whole.times_s[i], whole.times_s[i], "repetition");
  expect_same(skipped, whole);
}

// Messages per step do not depend on how often it is done: those of 512 ranks are 1024 x 512, of
// which all but the first and last steps are skipped.
TEST(SteadyState, long_run_simulates_only_a_small_part) {
  const Scenario scenario = scenario_of(
      "cluster: {base: star8, hosts: 512}\nlibrary: rdma\nplacement: 1x512\n"
      "job: {collective: allreduce, algorithm: ring, bytes: 512 KiB}");
  const Report report = with_fluid(scenario, true);
  EXPECT_EQ(report.messages, 2u * 511 * 512);
  EXPECT_LT(report.messages - report.skipped_messages, 20u * 512);
}

}  // namespace
}  // namespace ringscope::steady_state_test
