// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Allreduce as Open MPI up to 4.0, 3.1 too, chooses it (component `tuned`), for commutative
// operations.
//
// Source: Open MPI 4.0.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_allreduce_intra_dec_fixed: recursive doubling below 10,000 B; a ring up to 1 MiB
// per rank, beyond it a ring in segments of 1 MiB. With no more numbers than ranks Open MPI
// reduces and then broadcasts; recursive doubling stands in for that here.
#include "algorithms/selectors/selector.hpp"

namespace ringscope {
namespace {

Choice choose_open_mpi_tuned_4_0_allreduce(int ranks, std::size_t items, const Options& options) {
  const std::uint64_t bytes = bytes_of(items, options);
  constexpr std::uint64_t intermediate = 10'000, segment = 1 << 20;
  if (bytes < intermediate || numbers_of(items, options) <= static_cast<std::uint64_t>(ranks))
    return {"recursive_doubling"};
  if (static_cast<std::uint64_t>(ranks) * segment >= bytes) return {"ring"};
  return {"ring_segmented", segment};
}

constexpr Selection open_mpi_tuned_4_0_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_tuned_4_0",
    .summary = "as Open MPI up to 4.0 (3.1 too) chooses by ranks and size (coll tuned)",
    .choose = choose_open_mpi_tuned_4_0_allreduce,
};

}  // namespace

Algorithm describe_open_mpi_tuned_4_0_allreduce() {
  return selector<open_mpi_tuned_4_0_allreduce>({"item"});
}

}  // namespace ringscope
