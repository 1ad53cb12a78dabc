// SPDX-License-Identifier: LGPL-2.1-or-later
// The case that the project was born from: when is a ring of eight ranks slower placed 4-3-1 than
// 4-2-2, by how much, and does the report say why?
#include <algorithm>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::placement_effect_test {
namespace {

/// Each process simulates once, so each placement is held to its formula, not to the other one.
class PlacementEffect : public SimulationTest, public testing::WithParamInterface<const char*> {
 protected:
  static std::string placement() { return GetParam(); }
  static bool one_rank_alone() { return placement() == "4-3-1"; }
};
std::string name_of(const testing::TestParamInfo<const char*>& placement) {
  std::string name = "on_" + std::string(placement.param);
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rack, PlacementEffect, testing::Values("4-2-2", "4-3-1"), name_of);

constexpr double chunk = 16.0 * 1024 * 1024 / 8;
constexpr int steps = 2 * (8 - 1), reductions = 8 - 1;

Scenario ring(const std::string& placement, const std::string& cluster,
              const std::string& library) {
  return scenario_of("cluster: " + cluster + "\nlibrary: " + library + "\nplacement: " + placement +
                     "\njob: {collective: allreduce, algorithm: ring, bytes: 16 MiB}\n");
}

void expect_within(double share, double got, double expected) {
  EXPECT_NEAR(got / expected, 1, share);
}

// 8 ns/B at each end: one core moves 1 Gbit/s, a tenth of the wire. The lone rank pays both ends.
TEST_P(PlacementEffect, is_the_sum_of_both_costs_over_the_greater_where_cores_are_the_bottleneck) {
  const double ts = 8e-9, tr = 8e-9, reduce = 0.093e-9;
  const Report report = run(ring(placement(), "rack3", "slow_tcp"));
  const double per_byte = one_rank_alone() ? ts + tr : std::max(ts, tr);
  expect_within(0.03, report.time_s, chunk * (steps * per_byte + reductions * reduce));
}

TEST_P(PlacementEffect, with_unequal_costs_too) {
  const double ts = 4e-9, tr = 12e-9, reduce = 0.093e-9;
  const Report report = run(ring(
      placement(), "rack3", "{base: slow_tcp, network: {send_cost: 4 ns/B, recv_cost: 12 ns/B}}"));
  const double per_byte = one_rank_alone() ? ts + tr : std::max(ts, tr);
  expect_within(0.03, report.time_s, chunk * (steps * per_byte + reductions * reduce));
}

// 400 Mbit/s are 20 ns/B, more than both costs together.
TEST_P(PlacementEffect, is_nothing_where_the_wire_is_the_bottleneck) {
  const double wire = 20e-9, reduce = 0.093e-9;
  const Report report =
      run(ring(placement(), "{base: rack3, link: {bandwidth: 400 Mbit/s}}", "slow_tcp"));
  expect_within(0.01, report.time_s, chunk * (steps * wire + reductions * reduce));
}

// 10 Gbit/s are 0.8 ns/B; each step waits for three latencies too.
TEST_P(PlacementEffect, is_nothing_where_the_nic_moves_the_bytes) {
  const double wire = 0.8e-9, reduce = 0.093e-9, latency = 2 * 5e-6 + 0.6e-6;
  const Report report = run(ring(placement(), "rack3", "offload"));
  expect_within(0.01, report.time_s,
                steps * (chunk * wire + 3 * latency) + reductions * chunk * reduce);
}

TEST_P(PlacementEffect, is_on_the_critical_path_as_the_core_of_the_lone_rank) {
  const Report report = run(ring(placement(), "rack3", "slow_tcp"));
  const PathSegment& longest = report.path.front();
  EXPECT_EQ(longest.cause, Cause::copy);
  if (!one_rank_alone()) return;
  EXPECT_EQ(longest.rank, 7);
  EXPECT_EQ(longest.resource, (ResourceId{"host2/numa0/core0", 7}));
  EXPECT_GT(longest.seconds, 0.8 * report.time_s);
}

}  // namespace
}  // namespace ringscope::placement_effect_test
