// SPDX-License-Identifier: LGPL-2.1-or-later
// With a library that costs nothing, on equal links, does each algorithm take what its textbook
// formula says?
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/tests/star_for_test.hpp"

namespace ringscope::closed_forms_test {
namespace {

/// All large messages wait for their receivers, and nothing but the wire takes time.
Scenario synchronous(Scenario scenario) {
  Transport& network = scenario.library.transports[static_cast<std::size_t>(Way::network)];
  network.eager_limit = {0};
  network.latency = Seconds(0);
  return scenario;
}

struct Case {
  int ranks = 0;
  std::uint64_t bytes = 0;
};
std::string name_of(const testing::TestParamInfo<Case>& one) {
  return fmt::format("{}_ranks_{}_bytes", one.param.ranks, one.param.bytes);
}
class ClosedForm : public SimulationTest, public testing::WithParamInterface<Case> {
 protected:
  static int ranks() { return GetParam().ranks; }
  static std::uint64_t bytes() { return GetParam().bytes; }
  static double time(const std::string& algorithm) {
    return run(on_star(ranks(), "allreduce", algorithm, bytes())).time_s;
  }
};

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

/// Bytes of the first `count` of `parts` chunks of a vector: the first ones are the larger.
double first_chunks(std::uint64_t bytes, int parts, int count) {
  const auto n = static_cast<std::uint64_t>(parts), c = static_cast<std::uint64_t>(count);
  return static_cast<double>(c * (bytes / n) + std::min(c, bytes % n));
}

double step(double bytes) { return latency + bytes / bandwidth; }

// Rings. The first chunk is the largest, and it crosses 2(P-1) links one after the other.
using Ring = ClosedForm;
INSTANTIATE_TEST_SUITE_P(Sizes, Ring,
                         testing::Values(Case{1, MiB}, Case{2, 64 * MiB}, Case{3, 1}, Case{3, MiB},
                                         Case{8, 7}, Case{8, 8}, Case{8, 9}, Case{8, 64 * MiB},
                                         Case{32, MiB + 1}, Case{64, 1}, Case{64, 63}),
                         name_of);

/// Each number of ranks once, with sizes from a byte to 64 MiB, divisible and not.
std::vector<Case> every_number_of_ranks() {
  std::vector<Case> cases;
  for (int ranks = 2; ranks <= 64; ++ranks) {
    const std::uint64_t p = static_cast<std::uint64_t>(ranks);
    const std::uint64_t sizes[] = {1, p - 1, 1000 * p, MiB + 1, 64 * MiB};
    cases.push_back({ranks, sizes[p % 5]});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Ranks, Ring, testing::ValuesIn(every_number_of_ranks()), name_of);

double ring_time(const Case& one) {
  return 2 * (one.ranks - 1) * step(first_chunks(one.bytes, one.ranks, 1));
}

TEST_P(Ring, takes_two_p_less_one_steps_of_a_chunk) {
  expect_seconds(time("ring"), ring_time(GetParam()));
}

TEST_P(Ring, with_sendrecv_takes_as_long) {
  expect_seconds(time("ring_sendrecv"), ring_time(GetParam()));
}

TEST_P(Ring, with_waitall_takes_as_long) {
  expect_seconds(time("ring_waitall"), ring_time(GetParam()));
}

TEST_P(Ring, with_two_threads_takes_as_long) {
  expect_seconds(time("ring_two_threads"), ring_time(GetParam()));
}

TEST_P(Ring, with_one_segment_per_chunk_takes_as_long) {
  Scenario scenario = on_star(ranks(), "allreduce", "ring_segmented", bytes());
  scenario.job.options.segment = bytes();
  expect_seconds(run(scenario).time_s, ring_time(GetParam()));
}

// Powers of two: every rank sends and receives at once in each step.
using PowerOfTwo = ClosedForm;
INSTANTIATE_TEST_SUITE_P(PowerOfTwo, PowerOfTwo,
                         testing::Values(Case{1, MiB}, Case{2, 1}, Case{2, 64 * MiB}, Case{4, 1000},
                                         Case{8, MiB}, Case{8, MiB + 5}, Case{16, 13},
                                         Case{32, 64 * KiB + 31}, Case{64, 64 * MiB}),
                         name_of);

TEST_P(PowerOfTwo, recursive_doubling_takes_log_p_steps_of_everything) {
  expect_seconds(time("recursive_doubling"), std::countr_zero(static_cast<unsigned>(ranks())) *
                                                 step(static_cast<double>(bytes())));
}

/// The first half of the chunks, the first quarter, ... and back: always the largest piece.
double halving_and_doubling(int ranks, std::uint64_t bytes, double latency_of_step) {
  double time = 0;
  for (int chunks = ranks / 2; chunks >= 1; chunks /= 2)
    time += 2 * (latency_of_step + first_chunks(bytes, ranks, chunks) / bandwidth);
  return time;
}

TEST_P(PowerOfTwo, rabenseifner_takes_two_log_p_steps_of_halves) {
  expect_seconds(time("rabenseifner"), halving_and_doubling(ranks(), bytes(), latency));
}

// Other numbers of ranks fold first: one message in and one out. Without a handshake the ranks that
// need not fold would run ahead and share a link with the fold.
using Folded = ClosedForm;
INSTANTIATE_TEST_SUITE_P(Folded, Folded,
                         testing::Values(Case{3, MiB}, Case{5, MiB}, Case{6, 1000 * KiB},
                                         Case{7, 64 * MiB}, Case{12, MiB}, Case{48, MiB},
                                         Case{63, 64 * KiB}),
                         name_of);

Scenario without_latency(int ranks, const std::string& algorithm, std::uint64_t bytes) {
  return synchronous(scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: {}
  link: {{bandwidth: 10 Gbit/s, latency: 0 s}}
  host: {{type: simple}}
library: ideal
placement: 1x{}
job: {{collective: allreduce, algorithm: {}, bytes: {} B}}
)",
                                             ranks, ranks, algorithm, bytes)));
}

TEST_P(Folded, recursive_doubling_takes_two_steps_more) {
  const auto rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks()))) - 1;
  expect_seconds(run(without_latency(ranks(), "recursive_doubling", bytes())).time_s,
                 (rounds + 2) * static_cast<double>(bytes()) / bandwidth);
}

TEST_P(Folded, rabenseifner_takes_two_steps_of_everything_more) {
  const auto folded = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks())));
  expect_seconds(
      run(without_latency(ranks(), "rabenseifner", bytes())).time_s,
      2 * static_cast<double>(bytes()) / bandwidth + halving_and_doubling(folded, bytes(), 0));
}

// Halves cross each other, the upper one's sum goes to whom stays, and the result comes back.
TEST_P(Folded, rabenseifner_by_halves_takes_two_halves_and_the_result_more) {
  const auto folded = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks())));
  expect_seconds(
      run(without_latency(ranks(), "rabenseifner_halves", bytes())).time_s,
      2 * static_cast<double>(bytes()) / bandwidth + halving_and_doubling(folded, bytes(), 0));
}

class PointToPoint : public SimulationTest {};

// One of three ranks folds into its neighbour while the third one's message is on the same link;
// then the result goes to both at once.
TEST_F(PointToPoint, three_ranks_that_fold_without_handshakes_share_the_middle_ones_link) {
  const double expected = 2 * (latency + 2 * MiB / bandwidth);
  expect_seconds(run(on_star(3, "allreduce", "recursive_doubling", MiB)).time_s, expected);
}

TEST_F(PointToPoint, a_pingpong_crosses_the_wire_twice_a_round) {
  Scenario scenario = on_star(2, "pingpong", "blocking", 1000);
  scenario.job.options.rounds = 10;
  expect_seconds(run(scenario).time_s, 10 * 2 * step(1000));
}

TEST_F(PointToPoint, an_exchange_takes_as_long_as_one_message) {
  Scenario scenario = on_star(8, "exchange", "bidirectional", MiB);
  scenario.job.options.rounds = 3;
  expect_seconds(run(scenario).time_s, 3 * step(MiB));
}

class Barrier : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Barrier, testing::Values(1, 2, 3, 4, 5, 8, 9, 33, 64),
                         testing::PrintToStringParamName());

TEST_P(Barrier, takes_a_latency_per_doubling) {
  expect_seconds(run(on_star(GetParam(), "barrier", "dissemination", 0)).time_s,
                 std::ceil(std::log2(GetParam())) * latency);
}

}  // namespace
}  // namespace ringscope::closed_forms_test
