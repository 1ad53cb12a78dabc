// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Allgather as MPICH 3 and 4 choose it, without a file of the user's: up to 512 KiB on a power
// of two of ranks recursive doubling, up to 80 KiB on other numbers Bruck's, else a ring. The
// sizes are of the gathered buffer.
//
// Source: MPIR_Allgather_intra_auto (src/mpi/coll/allgather) with its defaults,
// MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE=81920 and MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE=524288;
// mpir/generic.json has the same numbers.
#include <bit>

#include "algorithms/selectors/selector.hpp"

namespace ringscope {
namespace {

Choice choose_mpich_4_allgather(int ranks, std::size_t items, const Options& options) {
  constexpr std::uint64_t least_of_medium = 81920, least_of_ring = 524288;
  const std::uint64_t bytes = bytes_of(items, options);
  if (std::has_single_bit(static_cast<unsigned>(ranks)) && bytes < least_of_ring)
    return {"recursive_doubling"};
  return {bytes < least_of_medium ? "bruck" : "ring"};
}

constexpr Selection mpich_4_allgather = {
    .collective = "allgather",
    .name = "mpich_4",
    .summary = "as MPICH 3 and 4 choose by ranks and size",
    .choose = choose_mpich_4_allgather,
};

}  // namespace

Algorithm describe_mpich_4_allgather() { return selector<mpich_4_allgather>({"item"}); }

}  // namespace ringscope
