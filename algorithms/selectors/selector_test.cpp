// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the selectors choose as the libraries' sources say? Seen by what the chosen algorithm costs.
#include "algorithms/selectors/selector.hpp"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

struct Point {
  int ranks;
  std::size_t bytes;
  std::string_view chosen;
};

void expect_choices(std::string_view collective, std::string_view name,
                    const std::vector<Point>& points, std::size_t number_bytes = 1) {
  const Algorithm& tuned = *find_algorithm(collective, name);
  for (const Point& point : points) {
    SCOPED_TRACE(testing::Message() << point.ranks << " ranks, " << point.bytes << " B");
    const Algorithm& chosen = *find_algorithm(collective, point.chosen);
    // 1 MiB: the segment of Open MPI 4.0's large rings.
    const Options options = {.segment = 1 << 20, .number_bytes = number_bytes};
    EXPECT_EQ(tuned.chosen(point.ranks, point.bytes, options), point.chosen);
    EXPECT_EQ(tuned.cost(point.ranks, point.bytes, options),
              chosen.cost(point.ranks, point.bytes, options));
    EXPECT_EQ(tuned.scratch_items(point.ranks, point.bytes, options),
              chosen.scratch_items(point.ranks, point.bytes, options));
  }
}

// The expected names are the rows of coll_tuned_decision_fixed.c at both sides of their borders.
TEST(Selector, open_mpi_4_1_goes_by_ranks_and_then_by_bytes) {
  expect_choices("allreduce", "open_mpi_tuned",
                 {{3, 7, "ring"},
                  {3, 8, "recursive_doubling"},
                  {3, 4096, "ring"},
                  {3, 262'144, "rabenseifner_halves"},
                  {4, 8191, "recursive_doubling"},
                  {4, 8192, "rabenseifner_halves"},
                  {8, 4, "recursive_doubling"},
                  {8, 8192, "rabenseifner_halves"},
                  {16, 63, "ring"},
                  {16, 4095, "recursive_doubling"},
                  {16, 4096, "rabenseifner_halves"},
                  {64, 262'143, "recursive_doubling"},
                  {64, 262'144, "rabenseifner_halves"},
                  {127, 4, "recursive_doubling"},
                  {128, 4, "reduce_broadcast"},
                  {1792, 2047, "reduce_broadcast"},
                  {1792, 2048, "recursive_doubling"},
                  {512, 16'384, "rabenseifner_halves"}});
}

// The sizes of nbc_iallreduce.c and of MPICH's CVARs, at both sides.
TEST(Selector, non_blocking_ones_go_by_libnbc) {
  expect_choices("allreduce", "open_mpi_libnbc",
                 {{8, 65'535, "binomial"}, {8, 65'536, "ring_waitall"}, {3, 1 << 20, "binomial"}});
  expect_choices("allreduce", "open_mpi_libnbc_5_0", {{8, 65'536, "rabenseifner_halves"}});
}

TEST(Selector, mpich_goes_by_the_gathered_bytes_and_without_hosts_by_the_vector) {
  expect_choices("allgather", "mpich_4",
                 {{208, 81'919, "bruck"},
                  {208, 81'920, "ring"},
                  {256, 524'287, "recursive_doubling"},
                  {256, 524'288, "ring"}});
  expect_choices("allreduce", "mpich_flat",
                 {{32, 2048, "recursive_doubling"}, {32, 2049, "rabenseifner"}});
}

TEST(Selector, a_ring_needs_a_number_per_rank) {
  expect_choices("allreduce", "open_mpi_tuned",
                 {{3, 2, "recursive_doubling"}, {16, 15, "recursive_doubling"}});
}

// Below 16 B on 4 ranks, 64 B on 16 and 128 B on 32 the table says ring, for vectors of fewer
// floats than ranks.
TEST(Selector, numbers_are_floats_unless_said) {
  expect_choices("allreduce", "open_mpi_tuned",
                 {{3, 4, "recursive_doubling"},
                  {4, 4, "recursive_doubling"},
                  {4, 8, "recursive_doubling"},
                  {4, 15, "recursive_doubling"},
                  {16, 63, "recursive_doubling"},
                  {32, 127, "recursive_doubling"},
                  {3, 4096, "ring"}},
                 Options{}.number_bytes);
  expect_choices("allreduce", "open_mpi_tuned", {{16, 32, "ring"}}, 2);
  expect_choices("allreduce", "open_mpi_tuned_4_0",
                 {{4096, 4096 * 4, "recursive_doubling"}, {4096, 4097 * 4, "ring"}},
                 Options{}.number_bytes);
}

TEST(Selector, open_mpi_4_0_doubles_below_10000_bytes_and_cuts_rings_above_a_mebibyte_a_rank) {
  expect_choices("allreduce", "open_mpi_tuned_4_0",
                 {{4, 9999, "recursive_doubling"},
                  {4, 10'000, "ring"},
                  {4, 4 << 20, "ring"},
                  {4, (4 << 20) + 1, "ring_segmented"},
                  {128, 8 << 20, "ring"}});
}

TEST(Selector, open_mpi_4_1_broadcasts_by_ranks_and_then_by_bytes) {
  expect_choices("broadcast", "open_mpi_tuned",
                 {{3, 32, "binomial"},
                  {3, 32'767, "flat"},
                  {3, 32'768, "binomial"},
                  {3, 1 << 20, "binomial"},
                  {4, 63, "binomial"},
                  {7, 8192, "flat"},
                  {8, 32'767, "binomial"},
                  {15, 32'768, "flat"},
                  {16, (1 << 20) - 1, "binomial"},
                  {31, 1 << 20, "scatter_allgather"},
                  {32, 1 << 20, "binomial"},
                  {128, 16'384, "flat"},
                  {1024, 524'288, "scatter_allgather"},
                  {4096, 262'143, "binomial"}});
}

TEST(Selector, libraries_take_two_levels_where_hosts_have_several_ranks_and_there_are_several) {
  const std::vector<int> pairs = {0, 0, 1, 1}, alone = {0, 1, 2, 3}, one = {0, 0, 0, 0};
  for (const auto& [name, levels, flat] : {std::tuple{"open_mpi_5_0", "han", "open_mpi_tuned"},
                                           {"mpich_4", "leaders", "rabenseifner"}}) {
    const Algorithm& selector = *find_algorithm("allreduce", name);
    EXPECT_EQ(selector.chosen(4, 1 << 20, {.given = {.hosts = &pairs}}), levels) << name;
    EXPECT_EQ(selector.chosen(4, 1 << 20, {.given = {.hosts = &alone}}), flat) << name;
    EXPECT_EQ(selector.chosen(4, 1 << 20, {.given = {.hosts = &one}}), flat) << name;
  }
}

// The leaders of two hosts: recursive doubling up to 2 KiB, then Rabenseifner's.
TEST(Selector, mpich_4_chooses_between_leaders_as_between_ranks) {
  const std::vector<int> pairs = {0, 0, 1, 1, 2, 2, 3, 3};
  const Algorithm& mpich = *find_algorithm("allreduce", "mpich_4");
  const Algorithm& leaders = *find_algorithm("allreduce", "leaders");
  for (const auto& [bytes, between] :
       {std::pair{2048u, "recursive_doubling"}, {2049u, "rabenseifner"}})
    EXPECT_EQ(mpich.cost(8, bytes, {.given = {.hosts = &pairs}}),
              leaders.cost(8, bytes, {.between = between, .given = {.hosts = &pairs}}));
}

TEST(Selector, open_mpi_4_1_broadcasts_along_chains_in_one_piece) {
  const Algorithm& tuned = *find_algorithm("broadcast", "open_mpi_tuned");
  for (const auto& [ranks, bytes] : {std::pair{3, 131'072}, std::pair{7, 1 << 20}}) {
    const auto items = static_cast<std::size_t>(bytes);
    EXPECT_EQ(tuned.chosen(ranks, items, {}), "chain");
    EXPECT_EQ(tuned.cost(ranks, items, {.segment = 1000}),
              (Cost{ranks - 1, ranks - 1, static_cast<std::uint64_t>(ranks - 1) * items}));
  }
}

TEST(Selector, borders_are_in_bytes_whatever_an_item_is) {
  const Algorithm& tuned = *find_algorithm("allreduce", "open_mpi_tuned");
  const Algorithm& halving = *find_algorithm("allreduce", "rabenseifner_halves");
  EXPECT_EQ(tuned.cost(8, 2048, {.given = {.item_bytes = 4}}), halving.cost(8, 2048, {}));
}

}  // namespace
}  // namespace ringscope
