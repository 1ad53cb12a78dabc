// SPDX-License-Identifier: LGPL-2.1-or-later
// Do parameter servers and streaming exchanges take what the traffic at their hub, the steps and
// the stragglers say, where the library costs nothing?
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "sim/tests/star_for_test.hpp"

namespace ringscope::parameter_server_test {
namespace {

constexpr double bytes = 1 << 20;        ///< S
constexpr double compute_s = 2e-3;       ///< of a step
constexpr double update_s_per_b = 1e-9;  ///< of an update

class ParameterServer : public SimulationTest {};
class Stragglers : public SimulationTest {};
class Streaming : public SimulationTest {};

Scenario parameter_server(const std::string& algorithm, int workers, int servers, int steps) {
  return on_star(workers + servers,
                 fmt::format("collective: parameter_server, algorithm: {}, bytes: 1 MiB, options: "
                             "{{segment: 1 MiB, servers: {}, steps: {}, compute: 2 ms, update: 1 "
                             "ns/B}}",
                             algorithm, servers, steps));
}

const Observation& observed(const Report& report, std::string_view what) {
  return *std::find_if(report.observations.begin(), report.observations.end(),
                       [&](const Observation& one) { return one.what == what; });
}

/// All workers to all servers: the cables of the fewer ones carry all of it.
double push(int workers, int servers) {
  return latency + bytes * std::max(workers, servers) / servers / bandwidth;
}

class Workers : public ParameterServer, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(ParameterServer, Workers, testing::Values(1, 2, 5),
                         testing::PrintToStringParamName());

TEST_P(Workers, synchronous_step_is_compute_push_update_and_pull) {
  const int workers = GetParam();
  const double step = compute_s + push(workers, 1) + bytes * update_s_per_b + push(workers, 1);
  expect_seconds(run(parameter_server("synchronous", workers, 1, 3)).time_s, 3 * step);
}

class Servers : public ParameterServer, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(ParameterServer, Servers, testing::Values(1, 2, 4, 8),
                         testing::PrintToStringParamName());

TEST_P(Servers, share_the_traffic_until_the_workers_cables_are_full) {
  const int servers = GetParam();
  const double step = compute_s + 2 * push(4, servers) + bytes * update_s_per_b / servers;
  expect_seconds(run(parameter_server("synchronous", 4, servers, 2)).time_s, 2 * step);
}

TEST_F(ParameterServer, a_multicast_leaves_the_server_once) {
  const double step = compute_s + push(4, 1) + bytes * update_s_per_b + latency + bytes / bandwidth;
  expect_seconds(run(parameter_server("multicast", 4, 1, 3)).time_s, 3 * step);
}

TEST_F(ParameterServer, in_lock_step_there_is_an_update_for_each_push) {
  const double step = compute_s + push(4, 1) + 4 * bytes * update_s_per_b + push(4, 1);
  expect_seconds(run(parameter_server("stale_synchronous", 4, 1, 3)).time_s, 3 * step);
}

TEST_F(ParameterServer, the_hub_is_the_busiest) {
  const Report report = run(parameter_server("synchronous", 4, 1, 3));
  EXPECT_THAT(report.resources.at(0).id.place, testing::HasSubstr("host4"));
  EXPECT_NEAR(report.resources.at(0).utilisation, 3 * 4 * bytes / bandwidth / report.time_s, 1e-9);
}

// In the first step the i-th push finds i before it; from then on the others have all been there.
TEST_F(ParameterServer, pushes_of_equal_asynchronous_workers_are_as_stale_as_there_are_others) {
  constexpr int workers = 5, steps = 20;
  const Report report = run(parameter_server("asynchronous", workers, 1, steps));
  const Observation& staleness = observed(report, "staleness");
  EXPECT_EQ(staleness.count, static_cast<std::size_t>(workers * steps));
  EXPECT_EQ(staleness.median, workers - 1);
  EXPECT_EQ(staleness.most, workers - 1);
  EXPECT_NEAR(staleness.mean, (workers - 1) * (steps - 0.5) / steps, 1e-9);
}

TEST_F(ParameterServer, a_lone_asynchronous_worker_goes_in_lock_step_with_its_server) {
  const double step = compute_s + push(1, 1) + bytes * update_s_per_b + push(1, 1);
  const Report report = run(parameter_server("asynchronous", 1, 1, 4));
  expect_seconds(report.time_s, 4 * step);
  expect_seconds(observed(report, "step").median_interval_s, step);
  EXPECT_EQ(observed(report, "staleness").most, 0);
}

const std::string lenet =
    "{records: 1000, record: 1 B, batch: 1, step: 2 ms, layers: [{name: a, "
    "parameters: 262144, flops: 1}]}";

Scenario training_on_star(const std::string& algorithm, const std::string& more) {
  return on_star(5, fmt::format("collective: training, algorithm: {}_parameter_server, options: "
                                "{{model: {}, bucket: 1 GiB, overlap: none, {}}}",
                                algorithm, lenet, more));
}

// As of the collective: a push and a pull each step, of which all share the server's cables.
TEST_F(ParameterServer, asynchronous_training_takes_what_the_servers_exchange_takes) {
  for (const std::string algorithm : {"asynchronous", "stale_synchronous"}) {
    const Report trained = run_again(training_on_star(algorithm, "steps: 5"));
    const double step = compute_s + push(4, 1) + push(4, 1);
    expect_seconds(trained.time_s, 5 * step);
    ASSERT_TRUE(trained.training.has_value());
    expect_seconds(trained.training->step_s, step);
  }
}

TEST_F(ParameterServer, training_fetches_and_pushes_as_seldom_as_downpour_says) {
  const Report report = run(training_on_star("asynchronous", "steps: 6, n_push: 3, n_fetch: 3"));
  expect_seconds(report.time_s, 6 * compute_s + 2 * (push(4, 1) + push(4, 1)));
  const Observation& staleness = observed(report, "staleness");
  EXPECT_EQ(staleness.count, 4u * 2);
}

/// Worker 3 of four takes twice as long as the others, and messages are next to nothing.
Report with_straggler(const std::string& algorithm, const std::string& more = "") {
  return run(on_star(
      5, fmt::format("collective: parameter_server, algorithm: {}, bytes: 1 B, options: {{steps: "
                     "10, compute: 2 ms{}}}, noise: {{stragglers: {{ranks: [3], slowdown: 2}}}}",
                     algorithm, more)));
}
constexpr double quick_step = compute_s + 2 * latency, slow_step = 2 * compute_s + 2 * latency;
constexpr double share_of_data = 1e-5;  ///< of a step, at most

TEST_F(Stragglers, hold_up_everybody_who_is_synchronous) {
  const Report report = with_straggler("synchronous");
  EXPECT_NEAR(finish(report, 0), 10 * slow_step, share_of_data * report.time_s);
  EXPECT_NEAR(finish(report, 3), 10 * slow_step, share_of_data * report.time_s);
}

TEST_F(Stragglers, hold_up_nobody_who_is_asynchronous) {
  const Report report = with_straggler("asynchronous");
  EXPECT_NEAR(finish(report, 0), 10 * quick_step, share_of_data * report.time_s);
  EXPECT_NEAR(finish(report, 3), 10 * slow_step, share_of_data * report.time_s);
}

class Bound : public Stragglers, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Stragglers, Bound, testing::Values(0, 1, 4),
                         testing::PrintToStringParamName());

TEST_P(Bound, is_how_far_stragglers_are_left_behind) {
  const int bound = GetParam();
  const Report report = with_straggler("stale_synchronous", fmt::format(", bound: {}", bound));
  EXPECT_NEAR(finish(report, 0), (10 - bound) * slow_step, share_of_data * report.time_s);
  EXPECT_NEAR(finish(report, 3), 10 * slow_step, share_of_data * report.time_s);
}

Scenario streams(const std::string& algorithm, const std::string& compute) {
  return on_star(2, fmt::format("collective: streaming_exchange, algorithm: {}, bytes: 1 MiB, "
                                "options: {{segment: 1 MiB, steps: 4, compute: {}}}",
                                algorithm, compute));
}
Report streaming(const std::string& algorithm, const std::string& compute) {
  return run(streams(algorithm, compute));
}
constexpr double pull_s = 2 * (latency + bytes / bandwidth);  ///< there and back
constexpr double end_s = 3 * latency;

TEST_F(Streaming, a_free_running_thread_pulls_as_often_as_it_can) {
  const Report report = streaming("free_running", "10 ms");
  const double pulls = std::ceil(4 * 10e-3 / pull_s) + 1;
  EXPECT_EQ(static_cast<double>(observed(report, "pull").count), pulls);
  EXPECT_NEAR(observed(report, "pull").mean, 4 / pulls, 1e-9);
  expect_seconds(report.time_s, pulls * pull_s + end_s);
}

TEST_F(Streaming, an_interlocked_thread_pulls_once_a_step) {
  const Report report = streaming("interlocked", "10 ms");
  EXPECT_EQ(observed(report, "pull").count, 4u);
  EXPECT_EQ(observed(report, "pull").most, 1);
  expect_seconds(report.time_s, 4 * 10e-3 + pull_s + end_s);
}

TEST_F(Streaming, a_pull_that_outlasts_all_steps_is_followed_by_one_that_brings_them) {
  const Report report = streaming("interlocked", "100 us");
  EXPECT_EQ(observed(report, "pull").count, 2u);
  EXPECT_EQ(observed(report, "pull").most, 3);
  expect_seconds(report.time_s, 100e-6 + 2 * pull_s + end_s);
}

class Pace : public Streaming, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Streaming, Pace, testing::Values("free_running", "interlocked"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Pace, does_not_hold_up_steps_on_a_core_of_their_own) {
  expect_seconds(observed(streaming(GetParam(), "10 ms"), "step").median_interval_s, 10e-3);
}

TEST_F(Streaming, a_pause_follows_every_pull_but_the_last) {
  constexpr double pause = 3e-3;
  const Report report = streaming("free_running", "10 ms, pause: 3 ms");
  const double before_last = std::ceil(4 * 10e-3 / (pull_s + pause));
  EXPECT_EQ(static_cast<double>(observed(report, "pull").count), before_last + 1);
  expect_seconds(report.time_s, before_last * (pull_s + pause) + pull_s + end_s);
}

// A copy waits for the kernel before it, and each kernel for the copy before it: one way of a piece
// between two kernels. Only the first pull, and those behind the last step, find the stream empty.
TEST_F(Streaming, on_the_default_stream_a_pull_takes_two_kernels_and_two_copies) {
  Scenario scenario = streams("free_running", "10 ms, default_stream: 5");
  for (Transport& way : scenario.library.transports) way.eager_limit = Bytes(0);
  const Report report = run(scenario);
  const double kernel = 10e-3 / 5, copy = bytes / bandwidth, handshake = 4 * latency;
  EXPECT_NEAR(observed(report, "pull").median_interval_s, 2 * (kernel + copy), 2 * handshake);
}

TEST_F(Streaming, on_the_default_stream_eager_copies_move_during_kernels) {
  const Report report = streaming("free_running", "10 ms, default_stream: 5");
  expect_seconds(observed(report, "pull").median_interval_s, 2 * 10e-3 / 5);
}

TEST_F(Streaming, a_share_of_the_gradients_shortens_the_way_there) {
  const Report report = streaming("interlocked", "10 ms, push_share: 0.25");
  const double pull = 2 * latency + 1.25 * bytes / bandwidth;
  expect_seconds(report.time_s, 4 * 10e-3 + pull + end_s);
}

// Nothing takes time between two steps: a thread that would pull for ever waits for the next.
TEST_F(Streaming, an_exchange_that_takes_no_time_ends) {
  Scenario scenario = scenario_of(R"(
cluster: {base: pair, link: {bandwidth: unlimited, latency: 0 s}}
library: ideal
placement: 1-1
job:
  collective: streaming_exchange
  algorithm: free_running
  bytes: 1 B
  options: {steps: 2, compute: 1 ms}
)");
  expect_seconds(run(scenario).time_s, 2e-3);
}

}  // namespace
}  // namespace ringscope::parameter_server_test
