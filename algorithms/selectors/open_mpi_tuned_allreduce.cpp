// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Allreduce as Open MPI 4.1's component `tuned` chooses it, without files or parameters of the
// user's, for commutative operations.
//
// Source: Open MPI 4.1.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_allreduce_intra_dec_fixed; its segmented ring is given no segment size there and
// runs as a ring. Rings need a number per rank, as in coll_base_allreduce.c. Its
// non-overlapping algorithm, from 128 ranks on, calls MPI_Reduce and MPI_Bcast, whose own tables
// say binomial and k-nomial there (but for 512 B to 1 KiB on 2048 to 4095 ranks, an in-order binary
// reduce, which is binomial here).
#include "algorithms/selectors/open_mpi_rules.hpp"
#include "algorithms/selectors/selector.hpp"

namespace ringscope {
namespace {

constexpr std::string_view doubling = "recursive_doubling", halving = "rabenseifner_halves";
constexpr std::string_view reduce_then_broadcast = "reduce_broadcast";

const std::vector<open_mpi::RanksRule>& allreduce_rules() {
  constexpr std::string_view ring = "ring";
  static const std::vector<open_mpi::RanksRule> table = {
      {4,
       {{8, ring},
        {4096, doubling},
        {8192, ring},
        {16384, doubling},
        {262144, ring},
        {.name = halving}}},
      {8, {{16, ring}, {8192, doubling}, {.name = halving}}},
      {16, {{8192, doubling}, {.name = halving}}},
      {32, {{64, ring}, {4096, doubling}, {.name = halving}}},
      {64, {{128, ring}, {.name = halving}}},
      {128, {{262144, doubling}, {.name = halving}}},
      {256, {{131072, reduce_then_broadcast}, {262144, doubling}, {.name = halving}}},
      {512, {{4096, reduce_then_broadcast}, {.name = halving}}},
      {2048, {{2048, reduce_then_broadcast}, {16384, doubling}, {.name = halving}}},
      {4096, {{2048, reduce_then_broadcast}, {4096, ring}, {16384, doubling}, {.name = halving}}},
      {INT_MAX,
       {{2048, reduce_then_broadcast}, {16384, ring}, {32768, doubling}, {.name = halving}}},
  };
  return table;
}

Choice choose_open_mpi_tuned_allreduce(int ranks, std::size_t items, const Options& options) {
  const std::string_view name =
      open_mpi::look_up(allreduce_rules(), ranks, bytes_of(items, options));
  const bool too_short =
      name == "ring" && numbers_of(items, options) < static_cast<std::uint64_t>(ranks);
  return {too_short ? doubling : name};
}

constexpr Selection open_mpi_tuned_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_tuned",
    .summary = "as Open MPI 4.1 chooses by ranks and size (coll tuned)",
    .choose = choose_open_mpi_tuned_allreduce,
};

}  // namespace

Algorithm describe_open_mpi_tuned_allreduce() {
  return selector<open_mpi_tuned_allreduce>({"item"});
}

}  // namespace ringscope
