// SPDX-License-Identifier: LGPL-2.1-or-later
// With a library that costs nothing, on equal links, does each collective take what its textbook
// formula says?
//
// Sources: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", Int. J. High Perform. Comput. Appl. 19 (2005); Chan, Heimlich, Purkayastha and van de
// Geijn, "Collective communication: theory, practice, and experience", Concurrency Comput. 19
// (2007); Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8 (1997). Their alpha is the latency
// here, or three where sender and receiver shake hands first; their beta is 1 / bandwidth.
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "sim/tests/star_for_test.hpp"

namespace ringscope::collectives_closed_forms_test {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

/// A send ends when its message has been received: blocking sends of a rank do not share its link.
Scenario with_handshakes(Scenario scenario) {
  Transport& network = scenario.library.transports[static_cast<std::size_t>(Way::network)];
  network.eager_limit = {0};
  return scenario;
}

struct Case {
  int ranks = 0;
  std::uint64_t bytes = 0;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.ranks << " ranks, " << one.bytes << " B";
}
std::string name_of(const testing::TestParamInfo<Case>& one) {
  return fmt::format("{}_ranks_{}_bytes", one.param.ranks, one.param.bytes);
}

/// Sizes that all numbers of ranks divide, so that all chunks are equal.
class Collective : public SimulationTest, public testing::WithParamInterface<Case> {
 protected:
  static int ranks() { return GetParam().ranks; }
  static int rounds() {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks() - 1)));
  }
  static std::uint64_t bytes() { return GetParam().bytes; }
  static double all() { return static_cast<double>(bytes()) / bandwidth; }
  static double chunk() { return all() / ranks(); }
  static double others() { return ranks() - 1; }

  static double time(std::string_view collective, std::string_view algorithm) {
    return run(on_star(ranks(), collective, algorithm, bytes())).time_s;
  }
  static double time_with_handshakes(std::string_view collective, std::string_view algorithm) {
    return run(with_handshakes(on_star(ranks(), collective, algorithm, bytes()))).time_s;
  }
};

using AnyRanks = Collective;
INSTANTIATE_TEST_SUITE_P(Sizes, AnyRanks,
                         testing::Values(Case{2, 64 * KiB}, Case{3, 3 * MiB}, Case{6, 6},
                                         Case{8, MiB}, Case{12, 12 * MiB}),
                         name_of);
using PowersOfTwo = Collective;
INSTANTIATE_TEST_SUITE_P(Sizes, PowersOfTwo,
                         testing::Values(Case{2, 64 * KiB}, Case{4, 4}, Case{8, MiB},
                                         Case{16, 16 * MiB}),
                         name_of);

TEST_P(AnyRanks, flat_broadcast_sends_everything_from_the_root) {
  expect_seconds(time("broadcast", "flat"), latency + others() * all());
}

TEST_P(AnyRanks, chain_broadcast_fills_and_drains_a_pipeline) {
  constexpr int segments = 3;
  Scenario scenario = on_star(ranks(), "broadcast", "chain", segments * bytes());
  scenario.job.options.segment = bytes();
  expect_seconds(run(scenario).time_s, others() * latency + (others() + segments - 1) * all());
}

// The root goes on when a message has left it; the last one has still to arrive.
TEST_P(AnyRanks, linear_scatter_sends_a_chunk_after_the_other) {
  expect_seconds(time_with_handshakes("scatter", "linear"),
                 others() * (2 * latency + chunk()) + latency);
}

TEST_P(AnyRanks, linear_gather_fills_the_roots_link) {
  expect_seconds(time("gather", "linear"), latency + others() * chunk());
}

TEST_P(AnyRanks, ring_reduce_goes_around_once_and_then_fills_the_roots_link) {
  expect_seconds(time("reduce", "ring"),
                 others() * (latency + chunk()) + latency + others() * chunk());
}

TEST_P(AnyRanks, ring_allgather_takes_p_less_one_steps_of_a_chunk) {
  expect_seconds(time("allgather", "ring"), others() * (latency + chunk()));
}

TEST_P(AnyRanks, ring_reduce_scatter_takes_p_less_one_steps_of_a_chunk) {
  expect_seconds(time("reduce_scatter", "ring"), others() * (latency + chunk()));
}

TEST_P(AnyRanks, bruck_allgather_takes_log_p_steps_and_all_other_chunks) {
  expect_seconds(time("allgather", "bruck"), rounds() * latency + others() * chunk());
}

TEST_P(AnyRanks, pairwise_alltoall_takes_p_less_one_steps_of_a_chunk) {
  expect_seconds(time("alltoall", "pairwise"), others() * (latency + chunk()));
}

TEST_P(AnyRanks, posted_alltoall_takes_one_latency_and_all_other_chunks) {
  expect_seconds(time("alltoall", "posted"), latency + others() * chunk());
}

TEST_P(AnyRanks, parallel_rings_share_the_links_of_one) {
  Scenario scenario = on_star(ranks(), "allreduce", "parallel_rings", 2 * bytes());
  scenario.job.options.rings = 2;
  expect_seconds(run(scenario).time_s, 2 * others() * (latency + 2 * chunk()));
}

// One thread's chunk crosses while the other one waits for its neighbour: long chunks hide the
// latency of all steps but the first, short ones wait for it in each.
TEST_P(AnyRanks, rings_of_two_threads_hide_each_others_latency) {
  Scenario scenario = on_star(ranks(), "allreduce", "ring_threads", 2 * bytes());
  scenario.job.options.threads = 2;
  const double steps = 2 * others();
  expect_seconds(run(scenario).time_s,
                 std::max(latency + steps * 2 * chunk(), steps * (latency + chunk()) + chunk()));
}

TEST_P(AnyRanks, two_levels_of_single_ranks_are_a_ring) {
  expect_seconds(time("allreduce", "two_level"), 2 * others() * (latency + chunk()));
}

TEST_P(PowersOfTwo, binomial_broadcast_takes_log_p_steps_of_everything) {
  expect_seconds(time_with_handshakes("broadcast", "binomial"), rounds() * (3 * latency + all()));
}

TEST_P(PowersOfTwo, scatter_and_allgather_move_nearly_twice_everything) {
  expect_seconds(time_with_handshakes("broadcast", "scatter_allgather"),
                 (rounds() + others()) * 3 * latency + 2 * others() * chunk());
}

TEST_P(PowersOfTwo, binomial_scatter_takes_log_p_steps_of_halves) {
  expect_seconds(time_with_handshakes("scatter", "binomial"),
                 rounds() * 3 * latency + others() * chunk());
}

TEST_P(PowersOfTwo, binomial_gather_takes_log_p_steps_of_doubles) {
  expect_seconds(time("gather", "binomial"), rounds() * latency + others() * chunk());
}

TEST_P(PowersOfTwo, binomial_reduce_takes_log_p_steps_of_everything) {
  expect_seconds(time("reduce", "binomial"), rounds() * (latency + all()));
}

TEST_P(PowersOfTwo, recursive_doubling_allgather_takes_log_p_steps_and_all_other_chunks) {
  expect_seconds(time("allgather", "recursive_doubling"), rounds() * latency + others() * chunk());
}

TEST_P(PowersOfTwo, recursive_halving_reduce_scatter_takes_as_long) {
  expect_seconds(time("reduce_scatter", "recursive_halving"),
                 rounds() * latency + others() * chunk());
}

TEST_P(PowersOfTwo, bruck_alltoall_takes_log_p_steps_of_half) {
  expect_seconds(time("alltoall", "bruck"), rounds() * (latency + all() / 2));
}

// Every rank that has children sends half of the buffer up and twice down, and the other half up as
// a leaf: the links are full, but for the segments that fill and drain the trees.
class Trees : public SimulationTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Trees, testing::Values(4, 8, 16),
                         testing::PrintToStringParamName());

TEST_P(Trees, trees_of_many_segments_take_about_2x_the_buffer) {
  Scenario scenario = on_star(GetParam(), "allreduce", "double_binary_tree", 64 * MiB);
  scenario.job.options.segment = 256 * KiB;
  const double time = run(scenario).time_s, twice = 2 * 64 * MiB / bandwidth;
  EXPECT_GT(time, twice);
  EXPECT_LT(time, 1.2 * twice);
}

class Pingpongs : public SimulationTest, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Calls, Pingpongs, testing::Values("nonblocking", "sendrecv"),
                         [](const auto& one) { return one.param; });

TEST_P(Pingpongs, cross_the_wire_twice_a_round) {
  Scenario scenario = on_star(2, "pingpong", GetParam(), 1000);
  scenario.job.options.rounds = 10;
  expect_seconds(run(scenario).time_s, 10 * 2 * (latency + 1000 / bandwidth));
}

}  // namespace
}  // namespace ringscope::collectives_closed_forms_test
