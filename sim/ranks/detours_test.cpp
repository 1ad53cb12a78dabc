// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a detour of the operating system hold up whoever holds the core, as its formulas say?
#include <cmath>
#include <numeric>
#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::sim::detours_test {
namespace {

constexpr double sigmas = 4;  ///< of the mean of the repetitions

class Detours : public SimulationTest {};

RunOptions on_fluid() {
  RunOptions options;
  options.kernel = "fluid";
  return options;
}

double mean_of(const Report& report) {
  return std::accumulate(report.times_s.begin(), report.times_s.end(), 0.0) /
         static_cast<double>(report.times_s.size());
}

/// Hosts of one core each: `library` and `job` are more keys of theirs.
Scenario scenario_on(int hosts, const std::string& library, const std::string& job) {
  const std::string count = std::to_string(hosts);
  return scenario_of("cluster: {network: star, hosts: " + count +
                     ", link: {bandwidth: 100 GB/s, latency: 0 s}, host: {type: simple}}\n" +
                     "placement: 1x" + count + "\nlibrary: {base: ideal" + library + "}\n" +
                     "job: {collective: allreduce, algorithm: recursive_doubling, bytes: 8 B" +
                     job + "}\n");
}

// T / every detours come in a time T on the core, and each takes 2 takes^2 of variance: the same as
// of a computation (noise_test.cpp).
struct Work {
  std::string name;
  std::string library;
  Text text;
  double seconds;
};

std::ostream& operator<<(std::ostream& out, const Work& work) { return out << work.name; }

class DetoursOfWork : public SimulationTest, public testing::WithParamInterface<Work> {};

INSTANTIATE_TEST_SUITE_P(
    Works, DetoursOfWork,
    testing::Values(Work{"reduction", ", reduce_cost: 1 us/B",
                         [](Communicator comm, Workspace work, Options) -> Task {
                           co_await comm.reduce(work.data, work.scratch);
                         },
                         8e-6},
                    Work{"copy", ", copy_cost: 1 us/B",
                         [](Communicator comm, Workspace work, Options) -> Task {
                           co_await comm.copy(work.data, work.scratch);
                         },
                         8e-6},
                    Work{"computation", "",
                         [](Communicator comm, Workspace, Options) -> Task {
                           co_await comm.compute(Duration(8e-6));
                         },
                         8e-6}),
    [](const auto& work) { return work.param.name; });

TEST_P(DetoursOfWork, take_their_share_of_the_time_on_the_core) {
  const Work& work = GetParam();
  constexpr double every = 10e-6, takes = 5e-6;
  constexpr int repetitions = 2000;
  const Report report =
      run(scenario_on(1, work.library,
                      ", repetitions: 2000, noise: {detours: {every: 10 us, takes: 5 us}}"),
          work.text);
  const double number = work.seconds / every;
  const double error = std::sqrt(number * 2 * takes * takes / repetitions);
  EXPECT_NEAR(mean_of(report), work.seconds + number * takes, sigmas * error);
}

constexpr int hosts[] = {4, 16};
constexpr double step = 6e-6;  ///< s: a latency and two overheads, all ranks at once
constexpr double time_on(int count) { return (count == 4 ? 2 : 4) * step; }

/// Excess over time_on() of an allreduce of 8 B, on average. SimGrid's engine exists once in a
/// process.
double excess_on(int count, const std::string& library, const std::string& job) {
  const std::string network =
      ", network: {latency: 5 us, send_overhead: 0.5 us, recv_overhead: 0.5 us, "
      "eager_limit: 64 KiB" +
      library + "}";
  return mean_of(simulate(scenario_on(count, network, job), on_fluid())) - time_on(count);
}

TEST(Excess, is_none_without_noise) {
  for (const int count : hosts) EXPECT_NEAR(excess_on(count, "", ""), 0, 1e-3 * step);
}

// While a rank waits, and while it works: where detours are rare, one comes to one of P ranks
// during T with probability P T / every, and all wait for nearly all of it: less by what its rank
// would have waited anyway, at most T, and less where two come at once.
TEST(Excess, detour_excess_is_the_sum_over_hosts) {
  constexpr double every = 2e-3, takes = 100e-6;
  double found[2] = {};
  for (const int i : {0, 1}) {
    const double time = time_on(hosts[i]), number = hosts[i] * time / every;
    const int repetitions = i == 0 ? 12000 : 3000;
    found[i] = excess_on(hosts[i], "",
                         ", repetitions: " + std::to_string(repetitions) +
                             ", noise: {detours: {every: 2 ms, takes: 100 us}}");
    const double error = std::sqrt(number * 2 * takes * takes / repetitions);
    EXPECT_LT(found[i], number * takes + sigmas * error);
    EXPECT_GT(found[i], number * takes * (1 - time / takes) * (1 - number / 2) - sigmas * error);
  }
  EXPECT_GT(found[1], 4 * found[0]);  // four times the hosts, each for twice the time
}

// Jitter, exponentially distributed of mean j, comes to each message: a step takes at least j
// longer on average, and at most the largest of P of them, j (1 + 1/2 + ... + 1/P).
TEST(Excess, jitter_excess_is_bounded_by_the_hosts_maximum_per_step) {
  constexpr double jitter = 1e-6;
  double found[2] = {};
  for (const int i : {0, 1}) {
    const double steps = time_on(hosts[i]) / step;
    double largest = 0;
    for (int k = 1; k <= hosts[i]; ++k) largest += jitter / k;
    found[i] = excess_on(hosts[i], ", jitter: 1 us", ", repetitions: 1000");
    EXPECT_GT(found[i], steps * jitter);
    EXPECT_LT(found[i], steps * largest);
  }
  EXPECT_LT(found[1], 4 * found[0]);
}

const std::string network = ", network: {latency: 5 us, send_overhead: 0.5 us}";

TEST_F(Detours, same_seed_gives_the_same_detours) {
  const std::string job =
      ", seed: 7, repetitions: 50, noise: {detours: {every: 20 us, takes: 9 us}}";
  const Scenario scenario = scenario_on(4, network, job);
  // SimGrid's engine exists once in a process.
  const RunOptions options = on_fluid();
  const std::vector<double> times = simulate(scenario, options).times_s;
  EXPECT_EQ(times, simulate(scenario, options).times_s);
  EXPECT_NE(times[0], times[1]);
}

TEST_F(Detours, are_on_the_critical_path) {
  const Report report = run(
      scenario_on(4, network, ", repetitions: 51, noise: {detours: {every: 20 us, takes: 90 us}}"));
  double noise = 0, all = 0;
  for (const PathSegment& segment : report.path) {
    all += segment.seconds;
    if (segment.cause == Cause::noise) noise += segment.seconds;
  }
  EXPECT_NEAR(all, report.time_s, 1e-9 * all);
  EXPECT_GT(noise, 0);
}

TEST_F(Detours, do_not_keep_a_job_alive_that_is_stuck) {
  Scenario scenario =
      scenario_on(2, "", ", repetitions: 1, noise: {detours: {every: 1 us, takes: 1 us}}");
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    co_await comm.recv(work.data, 1 - comm.rank());
  };
  EXPECT_THROW(run(scenario, text), DeadlockError);
}

}  // namespace
}  // namespace ringscope::sim::detours_test
