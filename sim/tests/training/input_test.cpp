// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an input take the cores that it says, and does a queue of batches hide how its times vary?
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/training/training.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "sim/ranks/noise.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::input_test {
namespace {

constexpr double compute = 0.030;  ///< s: of a step of one device alone
constexpr double alone = 0.1;      ///< s: ten records of a batch at 100 records/s
constexpr int steps = 2, cores = 4;

/// Training of which nothing takes time but the input and 30 ms of computation a step.
Scenario with_input(const std::string& input, const std::string& placement = "1",
                    const std::string& more = "", int number = steps) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: 2
  host: {{type: simple, cores: {}}}
  link: {{bandwidth: 1 GB/s, latency: 0 s}}
library: ideal
placement: {}
{}
job:
  collective: training
  algorithm: ddp
  seed: 5
  options:
    model:
      records: 1000
      record: 1 kB
      batch: 10
      step: 30 ms
      layers: [{{name: a, parameters: 1, flops: 1}}]
    steps: {}
    input: {}
)",
                                 cores, placement, more, number, input));
}

double time_of(const std::string& input, const std::string& placement = "1") {
  return run_again(with_input(input, placement)).time_s;
}

class InputCores : public SimulationTest {};

TEST_F(InputCores, free_cores_change_nothing) {
  EXPECT_NEAR(time_of("{rate: 100, cores: 3}"), time_of("{rate: 100}"), 1e-12);
  EXPECT_NEAR(time_of("{cpu: 30 ms, cores: 3}"), time_of("{rate: 100}"), 1e-12);
  // Two devices share the rate.
  EXPECT_NEAR(time_of("{rate: 100, cores: 2}", "2"), time_of("{rate: 100}", "2"), 1e-6);
}

// Threads of the input and one of each rank share the host: while the rank computes both are
// slower, and the second batch is there so much later.
TEST_F(InputCores, busy_cores_are_shared_with_ranks) {
  for (const int taken : {4, 6, 12}) {
    const double busy = std::max(1.0, static_cast<double>(taken) / cores);  // preparing alone
    const double longer = (taken + 1.0) / cores;                            // a rank computes, too
    const double left = 1 - compute * longer / (alone * longer);
    const double expected = alone * busy + compute * longer + left * alone * busy + compute;
    EXPECT_NEAR(time_of(fmt::format("{{rate: 100, cores: {}}}", taken)), expected, 1e-9) << taken;
  }
}

// Two devices on a host have half of the input's threads each: 4 + 2 threads on 4 cores.
TEST_F(InputCores, are_shared_by_all_threads_alike) {
  const double both = 2 * alone, longer = 6.0 / 4, left = 1 - compute / both;
  EXPECT_NEAR(time_of("{rate: 100, cores: 4}", "2"),
              both + compute * longer + left * both + compute, 1e-6);
}

// An input that is fast enough holds nobody up, but takes cores from the steps that it feeds.
TEST_F(InputCores, fast_input_on_busy_cores_lengthens_each_step) {
  constexpr int number = 10;
  const double batch = 0.01;  // at 1000 records/s
  const auto time = [&](const std::string& input) {
    return run_again(with_input(input, "1", "", number)).time_s;
  };
  EXPECT_NEAR(time("{rate: 1000, prefetch: 1}"), batch + number * compute, 1e-9);
  // The last step has no batch beside it.
  EXPECT_NEAR(time("{rate: 1000, prefetch: 1, cores: 4}"),
              batch + number * compute + (number - 1) * batch * (5.0 / 4 - 1), 1e-9);
}

TEST_F(InputCores, have_their_name_on_the_path) {
  const Report report = simulate(with_input("{rate: 100, cores: 8}"), {});
  ASSERT_FALSE(report.path.empty());
  EXPECT_EQ(segment_text(report.path.front()), "the input of host0/4 cores (input: 8)");
}

TEST_F(InputCores, on_both_kernels) { run(with_input("{rate: 100, cores: 4}", "2")); }

/// Steps of one device whose batches take these times: a batch is begun when `prefetch` lie ready
/// no longer.
double expected_time(const std::vector<double>& times, std::size_t prefetch) {
  std::vector<double> taken;
  double ready = 0, end = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i >= prefetch) ready = std::max(ready, taken[i - prefetch]);
    ready += times[i];
    taken.push_back(std::max(ready, end));
    end = taken.back() + compute;
  }
  return end;
}

class VaryingInput : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, VaryingInput,
                         testing::Values("spread: 1", "stalls: {every: 200 ms, takes: 100 ms}",
                                         "spread: 0.5, stalls: {every: 200 ms, takes: 50 ms}"));

// The mean batch takes half a step: with a queue for all the job takes hardly more than its steps.
// With one of one batch each late batch is lost time.
TEST_P(VaryingInput, is_hidden_by_a_queue) {
  constexpr int number = 100;
  constexpr double mean = compute / 2;
  const auto scenario = [&](std::size_t prefetch) {
    return with_input(
        fmt::format("{{rate: {}, prefetch: {}, {}}}", 10 / mean, prefetch, GetParam()), "1", "",
        number);
  };
  const Scenario one = scenario(1);
  const Input& input = one.job.training->input;
  const Noise noise{.spread = input.spread,
                    .detours = {Seconds(input.every), Seconds(input.takes)},
                    .stragglers = {}};
  sim::Noises draws(noise, 1);
  draws.seed(one.job.seed ^ sim::stream_of_inputs);
  std::vector<double> times;
  double all = 0;
  for (int i = 0; i < number; ++i) all += times.emplace_back(draws.stretch(0, 10 / input.rate));
  std::vector<double> got;
  for (const std::size_t prefetch :
       {std::size_t{1}, std::size_t{2}, std::size_t{10}, std::size_t{number}}) {
    got.push_back(simulate(scenario(prefetch), {}).time_s);
    EXPECT_NEAR(got.back(), expected_time(times, prefetch), 1e-9 * got.back()) << prefetch;
  }
  EXPECT_TRUE(std::ranges::is_sorted(got, std::greater<>()));
  EXPECT_GT(got.front(), 1.03 * got.back());
  EXPECT_GE(got.back(), std::max(all, number * compute));
}

class InputDraws : public SimulationTest {};

TEST_F(InputDraws, are_new_in_each_repetition_and_of_the_seed) {
  Scenario scenario = with_input("{rate: 100, spread: 0.5}");
  scenario.job.repetitions = 3;
  const Report report = simulate(scenario, {});
  ASSERT_EQ(report.times_s.size(), 3u);
  EXPECT_NE(report.times_s[0], report.times_s[1]);
  EXPECT_EQ(report.times_s, simulate(scenario, {}).times_s);
  scenario.job.seed = 6;
  EXPECT_NE(report.times_s, simulate(scenario, {}).times_s);
}

TEST_F(InputDraws, background_job_is_rejected) {
  const std::string job =
      "{collective: training, algorithm: ddp, options: {model: resnet50, input: {rate: 1, spread: "
      "1}}}";
  EXPECT_THROW(
      with_input("{rate: 100}", "1", "neighbours: {other: {placement: 0-1, job: " + job + "}}"),
      InputError);
}

struct BadInput {
  const char *input, *message;
};
class InputKeys : public testing::TestWithParam<BadInput> {};
INSTANTIATE_TEST_SUITE_P(
    Inputs, InputKeys,
    testing::Values(BadInput{"{cores: 2}", "'rate'"},
                    BadInput{"{cpu: 1 ms}", "expected 'cores', too"},
                    BadInput{"{cpu: 1 ms, cores: 2, rate: 5}", "exclude each other"},
                    BadInput{"{cpu: 0 s, cores: 2}", "above 0"},
                    BadInput{"{rate: 5, cores: 0}", "1 to 65536"},
                    BadInput{"{rate: 5, stalls: {every: 0 s, takes: 1 s}}", "above 0"}));

TEST_P(InputKeys, meaningless_keys_are_rejected) {
  try {
    with_input(GetParam().input);
    FAIL() << GetParam().input;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos)
        << error.what();
  }
}

class InputFiles : public SimulationTest {};

// Each of 2 steps reads 10 records of 1 kB: of two hosts the one that has the files sends to the
// other alone.
TEST_F(InputFiles, remote_files_count_as_inter_host_traffic) {
  const Report far =
      simulate(with_input("{rate: 100}", "1-1", "storage: {bandwidth: 1 GB/s, host: 0}"), {});
  EXPECT_EQ(far.file_bytes_between_hosts, std::uint64_t{steps * 10 * 1000});
  EXPECT_NE(print_run({&far, 1}).find("between hosts, and 20 kB of files"), std::string::npos)
      << print_run({&far, 1});
  const Report local =
      simulate(with_input("{rate: 100}", "1-1", "storage: {bandwidth: 1 GB/s}"), {});
  EXPECT_FALSE(local.file_bytes_between_hosts.has_value());
  EXPECT_EQ(local.bytes_between_hosts, far.bytes_between_hosts);
}

TEST_F(InputFiles, in_the_steps_that_were_skipped_count) {
  constexpr int number = 200;
  const Report report = simulate(
      with_input("{rate: 100}", "1-1", "storage: {bandwidth: 1 GB/s, host: 0}", number), {});
  EXPECT_EQ(report.file_bytes_between_hosts, std::uint64_t{number * 10 * 1000});
}

class Samples : public SimulationTest {};

std::vector<SampleReport> samples_of(const Scenario& scenario) {
  RunOptions options;
  options.record_spans = true;
  return simulate(scenario, options).samples;
}

// Two cores prepare for 100 ms, and one computes for 30 ms: windows of 13 ms.
TEST_F(Samples, host_samples_are_the_cores_of_top) {
  const auto samples = samples_of(with_input("{rate: 100, cores: 2}", "1", "", 1));
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.front().name, "host0");
  const std::vector<double>& percent = samples.front().percent;
  ASSERT_EQ(percent.size(), 10u);
  for (std::size_t i = 0; i < percent.size(); ++i)
    EXPECT_NEAR(percent[i], i < 7 ? 200 : i == 7 ? (9 * 200 + 4 * 100) / 13.0 : 100, 1e-6) << i;
}

/// Mean of the first GPU, which waits for the other half of the time.
double mean_of_waiting_gpu(const std::string& library) {
  const Scenario scenario = scenario_of(fmt::format(R"(
cluster: a100x4_nvlink
library: {}
placement: {{hosts: 2, on: gpu}}
job:
  collective: training
  algorithm: ddp
  options: {{model: resnet50, overlap: none}}
  noise: {{stragglers: {{ranks: [1], slowdown: 2}}}}
)",
                                                    library));
  const auto samples = samples_of(scenario);
  EXPECT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples.front().name, "host0/gpu0");
  double sum = 0;
  for (const double percent : samples.front().percent) sum += percent;
  return sum / static_cast<double>(samples.front().percent.size());
}

TEST_F(Samples, gpu_samples_include_waiting_nccl_kernels) {
  EXPECT_NEAR(mean_of_waiting_gpu("nccl_a100"), 100, 1);
  EXPECT_NEAR(mean_of_waiting_gpu("cuda_pinned"), 50, 2);
}

}  // namespace
}  // namespace ringscope::input_test
