// SPDX-License-Identifier: LGPL-2.1-or-later
// Do computations take as much longer as the job's noise says, and nothing else than its seed
// decide by how much?
#include "sim/ranks/noise.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::sim::noise_test {
namespace {

constexpr int draws = 4000;
constexpr double sigmas = 3;  ///< of the mean of all draws

Noise spread_of(double spread) { return {.spread = spread, .stragglers = {}}; }
Noise noise_of(double spread, double every, double takes) {
  return {.spread = spread, .detours = {Seconds(every), Seconds(takes)}, .stragglers = {}};
}

/// Times that rank 0 draws, one computation of `seconds` after the other.
std::vector<double> times_of(const Noise& noise, double seconds, std::uint64_t seed = 1) {
  Noises noises(noise, 1);
  noises.seed(seed);
  std::vector<double> times;
  for (int i = 0; i < draws; ++i) times.push_back(noises.stretch(0, seconds));
  return times;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(Noise, zero_noise_changes_no_time) {
  for (const double time : times_of({}, 0.1)) EXPECT_EQ(time, 0.1);
}

TEST(Noise, slows_stragglers_by_their_factor_and_nobody_else) {
  const Noise noise = {.slowdown = 2.5, .stragglers = {1, 3}};
  Noises noises(noise, 4);
  for (const int rank : {0, 1, 2, 3})
    EXPECT_EQ(noises.stretch(rank, 0.1), rank % 2 == 1 ? 0.1 * 2.5 : 0.1);
}

TEST(Noise, is_the_same_for_the_same_seed_and_another_for_another) {
  const Noise noise = noise_of(0.3, 1e-3, 1e-5);
  EXPECT_EQ(times_of(noise, 0.01, 7), times_of(noise, 0.01, 7));
  EXPECT_NE(times_of(noise, 0.01, 7), times_of(noise, 0.01, 8));
}

/// Spread of the logarithm.
class NoiseSpread : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Spreads, NoiseSpread, testing::Values(0.05, 0.5, 1.0),
                         [](const auto& spread) {
                           return std::to_string(static_cast<int>(100 * spread.param)) + "_percent";
                         });

// The variance of a log-normal factor of mean 1 is exp(s^2) - 1.
TEST_P(NoiseSpread, makes_computations_no_longer_on_average) {
  const double spread = GetParam();
  const double error = std::sqrt((std::exp(spread * spread) - 1) / draws);
  EXPECT_NEAR(mean_of(times_of(spread_of(spread), 0.2)) / 0.2, 1, sigmas * error);
}

// The variance of a sum of squares of n normal numbers is 2 n.
TEST_P(NoiseSpread, is_the_standard_deviation_of_the_logarithm) {
  const double spread = GetParam();
  std::vector<double> squares;
  for (const double time : times_of(spread_of(spread), 0.2)) {
    const double normal = (std::log(time / 0.2) + spread * spread / 2) / spread;
    squares.push_back(normal * normal);
  }
  EXPECT_NEAR(mean_of(squares), 1, sigmas * std::sqrt(2.0 / draws));
}

/// Mean times between two detours and of one, s.
struct Detours {
  double every = 0, takes = 0;
};
class NoiseDetours : public testing::TestWithParam<Detours> {};
INSTANTIATE_TEST_SUITE_P(Rates, NoiseDetours,
                         testing::Values(Detours{1e-3, 1e-5}, Detours{1e-2, 1e-3},
                                         Detours{0.1, 0.2}));

// A Poisson number of exponential times: T / every of them, and 2 takes^2 of variance from each.
TEST_P(NoiseDetours, lengthen_a_computation_by_their_share_of_its_time_on_average) {
  const auto [every, takes] = GetParam();
  const double time = 0.02, number = time / every;
  const double error = std::sqrt(number * 2 * takes * takes / draws);
  const Noise noise = noise_of(0, every, takes);
  EXPECT_NEAR(mean_of(times_of(noise, time)), time + number * takes, sigmas * error);
}

// exp(-T / every) of all computations meet none.
TEST_P(NoiseDetours, leave_as_many_computations_alone_as_come_between_two) {
  const auto [every, takes] = GetParam();
  const double time = every / 2, alone = std::exp(-0.5);
  const Noise noise = noise_of(0, every, takes);
  int met_none = 0;
  for (const double one : times_of(noise, time))
    if (one == time) ++met_none;
  EXPECT_NEAR(met_none, draws * alone, sigmas * std::sqrt(draws * alone * (1 - alone)));
}

TEST(Noise, noise_of_a_rank_is_independent_of_other_ranks) {
  const Noise noise = noise_of(0.3, 1e-3, 1e-5);
  Noises busy(noise, 8), quiet(noise, 3);
  busy.seed(5);
  quiet.seed(5);
  for (int i = 0; i < 100; ++i) {
    for (const int other : {0, 1, 7}) busy.stretch(other, 0.01 * i);
    EXPECT_EQ(busy.stretch(2, 0.01), quiet.stretch(2, 0.01));
  }
}

TEST(Noise, differs_from_rank_to_rank) {
  const Noise noise = spread_of(0.3);
  Noises noises(noise, 2);
  noises.seed(5);
  EXPECT_NE(noises.stretch(0, 1), noises.stretch(1, 1));
}

class NoisyJob : public SimulationTest {};

Scenario noisy(const std::string& noise) {
  return scenario_of(R"(
cluster: {network: star, hosts: 2, link: {bandwidth: 1 GB/s, latency: 0 s}, host: {type: simple}}
library: ideal
placement: 1-1
job:
  collective: pingpong
  algorithm: blocking
  bytes: 1 B
  repetitions: 3
  seed: 4
  noise: )" + noise + "\n");
}

Task compute(Communicator comm, Workspace, Options) { co_await comm.compute(Duration(0.1)); }

TEST_F(NoisyJob, with_a_straggler_is_as_late_as_that) {
  const Report report = run(noisy("{stragglers: {ranks: [1], slowdown: 3}}"), compute);
  for (const double time : report.times_s) expect_seconds(time, 0.3);
  expect_seconds(finish(report, 0), 0.1);
}

TEST_F(NoisyJob, slows_all_ranks_of_a_slow_host) {
  const Report report = run(noisy("{stragglers: {hosts: [host1], slowdown: 3}}"), compute);
  for (const double time : report.times_s) expect_seconds(time, 0.3);
  expect_seconds(finish(report, 0), 0.1);
  EXPECT_EQ(noisy("{stragglers: {hosts: [1], slowdown: 3}}").job.noise.slow_hosts,
            std::vector<int>{1});
  EXPECT_THROW(noisy("{stragglers: {hosts: [host2], slowdown: 3}}"), InputError);
  EXPECT_THROW(noisy("{stragglers: {slowdown: 3}}"), InputError);
}

TEST_F(NoisyJob, takes_its_time_anew_in_each_repetition) {
  const Report report = run(noisy("{spread: 0.2}"), compute);
  ASSERT_EQ(report.times_s.size(), 3u);
  EXPECT_NE(report.times_s[0], report.times_s[1]);
  EXPECT_NE(report.times_s[1], report.times_s[2]);
}

// Messages, copies and reductions are no computations.
TEST_F(NoisyJob, compute_spread_does_not_change_messages) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) co_await comm.recv(work.data, 0);
  };
  expect_seconds(run(noisy("{spread: 1}"), text).time_s, 1 / 1e9);
}

}  // namespace
}  // namespace ringscope::sim::noise_test
